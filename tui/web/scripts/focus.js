// Keys go to the dashboard at once, without a click on it.
const watching = new MutationObserver(() => {
  const field = document.querySelector(".xterm-helper-textarea");
  if (field) {
    watching.disconnect();
    field.focus();
  }
});
watching.observe(document, { childList: true, subtree: true });
