"""Domains that everybody uses: naming one tells nothing of who names it. Their hosts are no findings."""

from __future__ import annotations

from typing import Final

PUBLIC_DOMAINS: Final = frozenset(
    """
    adobe.com airbnb.com akamai.com akamaihd.net alibaba.com aliyun.com aliyuncs.com amazon.com amazonaws.com anaconda.com
    android.com angular.io ansible.com anthropic.com apache.org apple.com archive.org archlinux.org arxiv.org
    atlassian.com atlassian.net aws.amazon.com azure.com azureedge.net azurewebsites.net bbc.co.uk bing.com bitbucket.org
    bitly.com blogspot.com bootstrapcdn.com box.com brew.sh bytedance.com caddyserver.com canonical.com cdnjs.com centos.org
    chatgpt.com chromium.org circleci.com cisco.com claude.ai clickhouse.com cloudflare.com cloudfront.net cncf.io codecov.io
    codepen.io cohere.ai cohere.com confluent.io contributor-covenant.org coursera.org
    creativecommons.org curl.se databricks.com datadoghq.com datatracker.ietf.org debian.org deepmind.com deepseek.com
    discord.com discord.gg discordapp.com digicert.com digitalocean.com disqus.com django-rest-framework.org
    djangoproject.com
    docker.com docker.io dotnetfoundation.org dropbox.com drupal.org duckduckgo.com eclipse.org ecma-international.org
    elastic.co electronjs.org eslint.org ethereum.org europa.eu expressjs.com facebook.com fast.ai fastly.net
    fedoraproject.org ffmpeg.org figma.com firebase.com firefox.com flickr.com fontawesome.com freebsd.org freedesktop.org
    gcr.io geeksforgeeks.org getbootstrap.com ghcr.io git-scm.com gitbook.com gitee.com github.com github.io
    githubassets.com githubcopilot.com githubusercontent.com gitlab.com gitter.im gmail.com gmane.org gnome.org gnu.org
    gnupg.org godaddy.com godoc.org golang.org goo.gl google.com google.dev googleapis.com googleblog.com googlecode.com
    googlegroups.com googlemail.com googlesource.com googletagmanager.com googleusercontent.com gradle.org grafana.com
    grafana.net gravatar.com groq.com gstatic.com gunicorn.org hackerone.com hashicorp.com haskell.org helm.sh heroku.com
    herokuapp.com hotmail.com hub.docker.com huggingface.co hyper.rs iana.org ibm.com icann.org icloud.com ieee.org ietf.org
    imgur.com instagram.com intel.com iso.org istio.io java.com jenkins.io jetbrains.com jquery.com jsdelivr.net json.org
    json-schema.org jsonlines.org jsonplaceholder.typicode.com julialang.org jupyter.org k8s.gcr.io k8s.io kaggle.com kde.org
    kernel.org kubernetes.io launchpad.net learn.microsoft.com letsencrypt.org libera.chat lighttpd.net linkedin.com
    linux.org
    linuxfoundation.org live.com llvm.org mailchimp.com mailgun.net mailgun.org man7.org mariadb.com mariadb.org
    mathjax.org maven.org medium.com mercurial-scm.org meta.com microsoft.com microsoftonline.com mistral.ai mit.edu
    mitre.org mongodb.com mongodb.org mozilla.com mozilla.net mozilla.org msn.com mysql.com nasa.gov netbsd.org netflix.com
    netlify.app netlify.com newrelic.com nextjs.org nginx.com nginx.org nih.gov nist.gov nodejs.org
    ntp.org numpy.org nvidia.com oasis-open.org office.com office365.com okta.com ollama.ai ollama.com omg.org openai.com
    openapis.org openbsd.org openjdk.org openssl.org openstack.org openstreetmap.org opensuse.org opentelemetry.io
    openvino.ai
    oracle.com outlook.com owasp.org paypal.com perl.org php.net pingcap.com pinterest.com pkg.dev plotly.com
    postgresql.org prometheus.io proton.me protonmail.com pypa.io pytest.org python.org
    pytorch.org quay.io quora.com rabbitmq.com reactjs.org react.dev readthedocs.io readthedocs.org realpython.com
    recaptcha.net reddit.com redhat.com redis.io replicate.com rfc-editor.org ruby-lang.org rubyonrails.org
    rust-lang.org salesforce.com samba.org sap.com schema.org scikit-learn.org scipy.org segment.io semver.org sendgrid.com
    sendgrid.net sentry.io shopify.com signal.org skype.com slack.com snapchat.com sourceforge.net spacy.io spdx.org
    spotify.com spring.io sqlalchemy.org sqlite.org square.com squareup.com stackexchange.com stackoverflow.com stanford.edu
    stripe.com sublimetext.com sun.com swagger.io swift.org symfony.com telegram.org tensorflow.org terraform.io
    tiktok.com torproject.org travis-ci.com travis-ci.org twilio.com twitch.tv twitter.com typescriptlang.org ubuntu.com
    unicode.org unpkg.com unsplash.com usenix.org vercel.app vercel.com videolan.org vim.org vimeo.com visualstudio.com
    vmware.com vuejs.org w3.org w3schools.com wechat.com wordpress.com wordpress.org wikimedia.org wikipedia.org windows.com
    windows.net wireshark.org x.com x.org xkcd.com xmlsoap.org yahoo.com yandex.ru ycombinator.com youtu.be
    youtube.com yaml.org zendesk.com zlib.net zoom.us
    """.split()  # noqa: SIM905
)
SECOND_LEVEL: Final = frozenset({"ac", "co", "com", "edu", "gov", "net", "ne", "or", "org"})
"""What stands below a country as a registry of its own: `nordhof.co.uk`."""
MAIL_FOR_ALL: Final = frozenset(
    """
    aol.com fastmail.com free.fr gmail.com gmx.com gmx.de gmx.net googlemail.com hotmail.com hotmail.co.uk hotmail.fr
    icloud.com
    libero.it live.com mac.com mail.com mail.ru me.com msn.com naver.com orange.fr outlook.com outlook.de pm.me proton.me
    protonmail.com qq.com t-online.de tutanota.com web.de yahoo.com yahoo.co.jp yahoo.co.uk yahoo.de yahoo.fr yandex.ru
    ymail.com zoho.com 126.com 163.com
    """.split()  # noqa: SIM905
)
"""Where anybody may have a mailbox, so that the domain is nobody's own."""


def registered(labels: list[str]) -> str:
    """The part of a host's name that somebody had to register: `nordhof.co.uk` of `db.nordhof.co.uk`.

    labels: of the name, in small letters.
    """
    own = 3 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in SECOND_LEVEL else 2
    return ".".join(labels[-own:])
