"""Places where names stand in code and in what is said of it, as patterns: databases, paths, clusters, imports, sentences.

`told` says what counts there. A pattern's groups are names; of those called `adjective` and `capital` it is asked whether
they could be a sentence's other words.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

NAME: Final = r"[A-Za-z_][\w$]*"
_H: Final = r"[A-Za-z_](?:[\w-]*\w)?"
_Q: Final = r"[\"'`\[\]]?"
PATH: Final = rf"{_Q}{NAME}{_Q}(?:\.{_Q}{NAME}{_Q}){{0,2}}"
_KINDS: Final = r"(?:tables?|databases?|db|schemas?|views?|datasets?|collections?)"

_PROJECTS: Final = ("service", "project", "repo", "librar", "package", "app", "codebase")
_QUOTED: Final = tuple(
    f"{kind} {mark}"
    for kind in ("database", "relation", "table", "object", "schema", "view", "named", "collection", "topic")
    for mark in "\"'`"
)
_SURE: Final = (
    # ORMs, query builders, migrations
    (
        ("__tablename__",),
        rf"__tablename__\s*=\s*[\"'](?P<name>{PATH})[\"']",
    ),
    (
        (
            *(
                "table(",
                "foreignkey(",
                "create_table",
                "drop_table",
                "add_column",
                "add_index",
                "rename_table",
                "to_sql(",
            ),
            *("knex(", "collection(", "define(", "get_all(", "from(", "into(", "create(", "ref(", "source("),
            "reference",
        ),
        rf"(?<!array\.)(?<!buffer\.)(?<!object\.)\b(?:foreignkey|create_table|drop_table|add_column|add_index|rename_table|"
        rf"saveastable|read_sql_table|to_sql|knex|getcollection|collection|insertinto|define|get_all|from|into|table|"
        rf"schema::create|ref|source|references|add_reference|jointable)(?:\(\s*(?:name\s*=\s*)?|\s:)[\"']?(?<=[\"':])"
        rf"(?P<name>{PATH})[\"']?(?=\s*[,)\"'.]|\s+do\b|\s*$)",
    ),
    (
        ("table",),
        rf"\b(?:db_table|tablename|table_name)\s*[:=]\s*[\"'](?P<name>{PATH})[\"']",
    ),
    (
        ("@@map(",),
        r"@@map\(\"(?P<name>\w+)\"\)",
    ),
    (
        ("source(",),
        rf"\bsource\(\s*[\"'][\w-]+[\"']\s*,\s*[\"'](?P<name>{NAME})[\"']",
    ),
    (
        ("db.",),
        rf"(?<![\w.])db\.(?P<name>{NAME})\.(?:aggregate|find\w*|insert\w*|update\w*|delete\w*|count\w*|drop|createindex|bulkwrite)\(",
    ),
    # connections
    (
        ("://",),
        r"\b(?:jdbc:)?(?:postgres(?:ql)?|mysql|mariadb|mongodb|sqlserver|redshift|snowflake|clickhouse|cockroachdb|oracle)"
        rf"(?:\+\w+)?://[^\s\"'<>/]{{1,200}}/(?P<name>{_H})(?=[?\s\"'`;,)]|$)",
    ),
    (
        ("sqlplus",),
        rf"\bsqlplus\s+[^\s/]+/[^\s@]+@[\w.-]+(?::\d+)?/(?P<name>{_H})",
    ),
    (
        ("db", "database", "catalog", "schema"),
        rf"(?:\bdbname|\bdatabase(?:_?name)?|\binitial catalog|\b\w*db_name|\bdb_database|\bdb_schema|\bpgdatabase|\bschema|"
        rf"\b\w*_db|\bmysql_database)[\"']?\s{{0,9}}[:=]\s{{0,9}}[\"']?(?P<name>{_H})(?![\w.(\[:])",
    ),
    (
        ("engine",),
        rf"\bengine[\"']\s*:\s*[\"'][\w.]+[\"']\s*,\s*[\"']name[\"']\s*:\s*[\"'](?P<name>{_H})[\"']",
    ),
    (
        ("psql",),
        rf"\bpsql\b[^\n]{{0,300}}?\s(?:-d|--dbname[= ])\s*(?P<name>{_H})",
    ),
    (
        ("mysql", "mongo"),
        rf"\b(?:mysql|mysqldump|mongosh?|mongodump)\b(?:\s+-\w+(?:[ =](?!-)\S+)?|\s+--\S+)*\s+(?P<name>{NAME})"
        rf"(?:[ ]+(?P<more>{NAME}))?(?=\s*(?:[<>|\n]|$|\w))",
    ),
    (
        ("pg_dump", "pg_restore", "createdb", "dropdb"),
        rf"\b(?:pg_dump|pg_restore|createdb|dropdb)\b(?:\s+-t\s+(?P<more>{NAME})|\s+-\w+(?:[ =](?!-)\S+)?|\s+--\S+)*"
        rf"\s+(?P<name>{NAME})(?=\s*(?:[<>|\n]|$))",
    ),
    (
        ("\\c", "\\d"),
        rf"(?:^|\n|`)\\(?:c|connect|d\+?|dt)\s+(?P<name>{PATH})",
    ),
    (
        ("copy",),
        rf"\bcopy\s+(?P<name>{PATH})\s*(?:\([^)\n]*\)\s*)?(?:from|to)\s",
    ),
    (
        ("select",),
        rf"\bselect\s+(?:\*|[\w.]+(?:\s*,\s*[\w.]+)+|\w+\([^)\n]*\))[^.?!;\n]{{0,400}}?\bfrom\s+(?P<name>{PATH})(?![\w$(]|\.\w)",
    ),
    (
        ("table", "db"),
        rf"(?<![\w.])(?:table|table_name|db|schema)\s*[:=]\s*[\"'](?P<name>{PATH})[\"']",
    ),
    (
        ("moving", "migrat", "porting"),
        rf"\b(?:moving|migrat\w+|porting)\s+{_Q}(?P<name>{NAME}){_Q}\s+(?:from|to)\s+[a-z]",
    ),
    (
        ("tables:", "tables are", "tables "),
        rf"\btables(?::| are| like| such as)\s+{_Q}(?P<name>{PATH}){_Q}"
        rf"(?P<list>(?:,\s*(?:and\s+)?{_Q}{PATH}{_Q})*(?:\s+and\s+{PATH})?)",
    ),
    (
        ("table", "collection", "view"),
        rf"\b(?:table|collection|view)\s+{_Q}(?P<name>{NAME}){_Q}(?=\s+(?:that|which|has|holds|maps|contains|with|by)\b|[.,?;)])",
    ),
    (
        ("from `",),
        r"\bfrom\s+`(?P<name>[\w-]+(?:\.[\w-]+){1,2})`",
    ),
    # what servers say
    (
        _QUOTED,
        rf"\b(?:unknown database|database|relation|table|(?:could not|cannot|can't) find table|object|schema|view|"
        rf"source named|node named|collection|topic) [\"'`](?P<name>{PATH}|[\w-]+)[\"'`]",
    ),
    (
        ("column '",),
        rf"\bcolumn\s+'(?P<name>{NAME})\.{NAME}'",
    ),
    # what people say
    (
        ("called", "named"),
        rf"\b{_KINDS}\b[^.?!\n]{{0,60}}?\b(?:called|named)\s+{_Q}(?P<name>{PATH})",
    ),
    (
        ("called", "named"),
        rf"\b(?:called|named)\s+{_Q}(?P<name>{NAME}){_Q}\s+{_KINDS}\b",
    ),
    (
        ("join",),
        rf"\bjoin\s+(?:the\s+)?{_Q}(?P<name>{NAME}){_Q}\s+(?:with|to|and|on|onto)\s+(?:the\s+)?{_Q}(?P<more>{NAME})",
    ),
    (
        ("joins", "read", "write", "load", "row"),
        rf"\b(?:joins|reads?\s+from|reads|writes?\s+(?:in)?to|loads?(?:\s+(?:in)?to)?|rows?\s+(?:of|from|into|in))\s+(?:the\s+)?{_Q}(?P<name>{PATH}){_Q}"
        rf"(?:\s+and\s+(?:(?:writes?|loads?)\s+(?:in)?to\s+)?(?:the\s+)?{_Q}(?P<more>{PATH}))?",
    ),
    (
        ("table", "database", "db", "schema", "view", "dataset", "collection"),
        rf"\b(?:the|our|my|a|an|of|from|in|into|to|on|and|both|hive)\s+{_Q}(?P<name>{PATH}){_Q}\s+{_KINDS}\b",
    ),
    (
        ("table", "view"),
        rf"\b(?:tables?|views?)\s+(?:in|of)\s+(?:the\s+|our\s+)?{_Q}(?P<name>{NAME})(?!\s+\w+\s+{_KINDS}|\s+{_KINDS}|\w)",
    ),
    (
        ("one called", "one named"),
        rf"\bone\s+(?:called|named)\s+{_Q}(?P<name>{NAME})",
    ),
    (
        ("table", "view", "topic"),
        rf"\b(?:table|view|topic)\s+{_Q}(?P<name>[a-z]\w+(?:\.\w+)+)",
    ),
    (
        ("-- ",),
        rf"(?<=-- )(?P<name>{NAME})\s+(?:db|database|schema)\b",
    ),
    # files of settings
    (
        ("tables:", "schemas:", "databases:", "collections:", "topics:"),
        r"(?:^|\n)[ \t]*(?:tables|schemas|databases|collections|topics)[ \t]*:[ \t]*\n"
        r"(?P<list>(?:[ \t]*-[ \t]*[\"']?[a-z_][\w.-]*[\"']?[ \t]*(?:\n|$))+)",
    ),
)
_BESIDE: Final = (
    # paths
    (
        ("/srv", "/opt", "/var", "/etc", "/home", "s/", "~/"),
        rf"(?:(?<![\w.])/(?:srv|opt|var/log|var/www|etc/nginx/sites-\w+|home/\w+)|(?<![\w/])(?:services|packages|apps|projects|libs|"
        rf"modules|components)|~/(?:work|code|src|dev|projects|repos))/(?P<name>{_H})(?:/(?P<more>{_H}))?",
    ),
    (
        ("database", "db", "schema"),
        rf"\b(?:database|db|schema)\s+{_Q}(?P<adjective>{NAME}){_Q}(?=[).,;?!]|\s*$|\s+(?:on|at|is|has|to|and|from|in)\b)",
    ),
    (
        ("config/", "conf/", "envs/", "inventories/", "/data/", "/mnt/"),
        rf"(?<![\w/])(?:config|conf|envs|inventories)/(?P<name>{_H})(?=[./])|(?<![\w.])/(?:data|mnt)/(?P<more>{_H})",
    ),
    (
        ("/prod", "/stag", "/dev"),
        rf"[\"'](?P<name>{_H})/(?:prod|staging|stage|dev)\b",
    ),
    (
        (
            *_PROJECTS,
            "dashboard",
            "platform",
            "pipeline",
            "team",
            "squad",
            "portal",
            "cluster",
            "system",
            "engine",
            "job",
            "worker",
        ),
        r"\b(?:[Tt]he|[Oo]ur|[Mm]y|in|of|for)\s+(?P<capital>[A-Z][a-z]\w+)\s+(?:service|dashboard|platform|project|pipeline|team|squad|app|"
        r"application|portal|repo|repository|codebase|cluster|workflow|system|engine|job|worker|backend|database|schema|queue|"
        r"environment|gateway|console|scheduler|monorepo)s?\b",
    ),
    (
        ("deploy", "release", "rollout", "outage", "codebase", "repo", "part of"),
        rf"\b(?:deployments?|releases?|rollout|outage|codebase|repo|repository|[Pp]art)\s+of\s+(?P<adjective>{_H})(?=[.,?!;:)]|"
        rf"\s*$|\s+(?:is|was|to|and|in|by|at|on|keeps|fails|failed)\b)",
    ),
    (
        ("secret/",),
        rf"\bsecret/(?P<name>{_H})/",
    ),
    # commits
    (
        ("):", ")!:"),
        rf"(?:^|\n)(?:fix|feat|chore|refactor|docs|test|perf|build|ci|style|revert)\((?P<name>{_H})\)!?:",
    ),
    (
        ("commit",),
        rf"(?:^|\n)(?:commit\s+)?[0-9a-f]{{6,40}}:?\s+(?P<name>{_H}):",
    ),
    # clusters
    (
        ("systemctl",),
        rf"\bsystemctl\s+[\w-]+\s+(?P<name>{_H})",
    ),
    (
        ("helm",),
        rf"\bhelm\s+(?:install|upgrade|rollback|uninstall)\s+(?:--?[\w-]+\s+)*(?P<name>{_H})",
    ),
    (
        ("-n", "namespace"),
        rf"(?:\s-n[ =]|--namespace[ =]|\bnamespace:\s*)(?P<name>{_H})",
    ),
    (
        ("/",),
        rf"\b(?:deploy|deployment|svc|service|sts|statefulset|pod|ds|job|cronjob)/(?P<name>{_H})",
    ),
    (
        (*_PROJECTS, "container", "deployment", "pod", "job"),
        rf"\b(?:service|container|deployment|pod|job|repo|repository|project|library|package|codebase|app)\s+[\"'`](?P<name>{_H})[\"'`]",
    ),
    # imports
    (
        ("import",),
        rf"(?:^|\n)[ \t>]*(?:from\s+(?P<name>{NAME})(?:\.[\w.]+)?\s+import\b|"
        rf"import\s+(?P<more>{NAME})(?:\.\w+)*\s*(?:as\b|$|\n))",
    ),
    (
        ("namespace", "using"),
        r"(?:^|\n)[ \t]*(?:namespace|using)\s+(?P<name>[A-Z]\w*(?:\.[A-Z]\w*)+)",
    ),
    (
        ("package", "module"),
        rf"\b(?:package|module)\s+(?P<name>{NAME}(?:\.{NAME})+)",
    ),
    # sentences
    (
        (*_PROJECTS, "pipeline", "environment", "namespace", "cluster"),
        rf"\b(?:the|our|my|this|of|in)\s+(?P<adjective>{_H})\s+(?:repo|repository|codebase|monorepo|project|service|microservice|pipeline|"
        rf"environment|namespace|cluster|library)\b",
    ),
    (
        (*_PROJECTS, "cluster"),
        rf"\b(?:service|project|repo|repository|library|package|app|codebase|cluster)\s+(?:called|named|to|is)\s+(?P<adjective>{_H})",
    ),
    (
        (*_PROJECTS, "container", "pod"),
        r"\b(?:service|repo|repository|project|library|package|app|container|pod)\s+(?P<adjective>[a-z]\w*(?:-\w+)+)",
    ),
    (
        ("named the",),
        rf"\bnamed\s+the\s+(?:service|project|repo|library|package|app)\s+(?P<name>{_H})",
    ),
    (
        ("project", "codebase", "backend", "gateway", "module", "packages"),
        rf"\b(?:project|codebase,|backend\s+is|gateway|module|packages)\s+(?P<adjective>{_H})(?=[.,?!;:)]|\s*$|\s+(?:is|to|and|in|by|of|which)\b)",
    ),
    (
        ("rename",),
        rf"\brename\s+(?:the\s+\w+\s+)?(?P<name>{_H})\s+to\s+(?P<more>{_H})",
    ),
)


class Rule(NamedTuple):
    """hints: small letters, some of which a text with such a place holds. sure: whether only own
    names stand there; then the pattern is of small letters too, since looking in any case takes twice as long.
    """

    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    sure: bool


RULES: Final = tuple(
    Rule(hints, re.compile(pattern), sure)
    for sure, rows in ((True, _SURE), (False, _BESIDE))
    for hints, pattern in rows
)
