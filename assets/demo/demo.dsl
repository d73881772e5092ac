# The demonstration's: the cloud answers while it may be asked, and this machine when nothing may leave.

MODEL cloud {}

MODEL local {}

ROUTE agent (description = "The cloud first, else this machine.") {
  PRIORITY 1
  MODEL "cloud", "local"
}
