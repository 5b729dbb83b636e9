// The one table of what a secret looks like: tokens by their vendor's prefix, and names that hold secrets.
// Logs, audit, questions on screen and child environments all use it.

export type TokenShape = {
  label: string;
  prefix: string;
  /** A sticky run of the characters that the token goes on with after its prefix. */
  body: RegExp;
  /** Fewest of them: what is shorter is a word that happens to begin alike. */
  min: number;
};

const WORD = /[A-Za-z0-9_]*/y;
const URL_SAFE = /[A-Za-z0-9_-]*/y;
const DOTTED = /[A-Za-z0-9_.-]*/y;
const BASE64 = /[A-Za-z0-9_+/=.~-]*/y;
const UPPER = /[A-Z0-9]*/y;

export function tokenShapes(): readonly TokenShape[] {
  return [
    ...shapes("github-token", WORD, 20, ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"]),
    ...shapes("gitlab-token", DOTTED, 16, ["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "glft-"]),
    ...shapes("anthropic-key", URL_SAFE, 16, ["sk-ant-"]),
    ...shapes("openai-key", URL_SAFE, 16, ["sk-proj-", "sk-svcacct-", "sk-admin-"]),
    ...shapes("openrouter-key", URL_SAFE, 16, ["sk-or-"]),
    ...shapes("api-key", URL_SAFE, 20, ["sk-", "key-"]),
    ...shapes("stripe-key", WORD, 12, ["sk_live_", "sk_test_", "rk_live_", "rk_test_"]),
    ...shapes("webhook-secret", BASE64, 16, ["whsec_"]),
    ...shapes("slack-token", DOTTED, 10, ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xapp-"]),
    ...shapes("slack-webhook", /[A-Za-z0-9_/-]*/y, 16, ["hooks.slack.com/services/"]),
    ...shapes("aws-key-id", UPPER, 16, ["AKIA", "ASIA", "ABIA", "ACCA"]),
    ...shapes("google-key", URL_SAFE, 30, ["AIza"]),
    ...shapes("google-token", URL_SAFE, 20, ["ya29.", "GOCSPX-", "1//0"]),
    ...shapes("huggingface-token", WORD, 20, ["hf_", "api_org_"]),
    ...shapes("npm-token", WORD, 20, ["npm_"]),
    ...shapes("pypi-token", URL_SAFE, 16, ["pypi-"]),
    ...shapes("rubygems-key", WORD, 20, ["rubygems_"]),
    ...shapes("digitalocean-token", WORD, 20, ["dop_v1_", "doo_v1_", "dor_v1_"]),
    ...shapes("sendgrid-key", DOTTED, 20, ["SG."]),
    ...shapes("shopify-token", WORD, 20, ["shpat_", "shpca_", "shppa_", "shpss_"]),
    ...shapes("groq-key", WORD, 20, ["gsk_"]),
    ...shapes("xai-key", URL_SAFE, 20, ["xai-"]),
    ...shapes("perplexity-key", URL_SAFE, 20, ["pplx-"]),
    ...shapes("replicate-token", WORD, 20, ["r8_"]),
    ...shapes("nvidia-key", URL_SAFE, 20, ["nvapi-"]),
    ...shapes("tavily-key", URL_SAFE, 16, ["tvly-"]),
    ...shapes("docker-token", URL_SAFE, 16, ["dckr_pat_", "dckr_oat_"]),
    ...shapes("grafana-token", WORD, 20, ["glsa_", "glc_"]),
    ...shapes("vault-token", URL_SAFE, 20, ["hvs.", "hvb.", "hvr."]),
    ...shapes("atlassian-token", BASE64, 20, ["ATATT3", "ATCTT3", "ATBB"]),
    ...shapes("linear-key", WORD, 20, ["lin_api_", "lin_oauth_"]),
    ...shapes("notion-token", WORD, 20, ["ntn_"]),
    ...shapes("supabase-token", WORD, 20, ["sbp_", "sb_secret_"]),
    ...shapes("databricks-token", WORD, 20, ["dapi"]),
    ...shapes("postman-key", URL_SAFE, 20, ["PMAK-"]),
    ...shapes("newrelic-key", URL_SAFE, 20, ["NRAK-"]),
    ...shapes("sentry-token", BASE64, 20, ["sntrys_", "sntryu_"]),
    ...shapes("figma-token", URL_SAFE, 20, ["figd_", "figo_"]),
    ...shapes("age-key", UPPER, 30, ["AGE-SECRET-KEY-1"]),
    ...shapes("doppler-token", DOTTED, 20, ["dp.pt.", "dp.st.", "dp.ct."]),
    ...shapes("fly-token", BASE64, 20, ["fm1_", "fm2_", "fo1_"]),
    ...shapes("terraform-token", DOTTED, 20, ["atlasv1."]),
  ];
}

// A name is a secret's when one of these words ends it, or stands in it as a word of its own.
const SECRET_WORDS = new Set([
  "password",
  "passwd",
  "passphrase",
  "passcode",
  "pwd",
  "secret",
  "secrets",
  "token",
  "credential",
  "credentials",
  "apikey",
  "authorization",
  "cookie",
  "jwt",
  "bearer",
]);
const SECRET_ENDING = /(?:password|passwd|passphrase|apikey|secret|token)$/; // PGPASSWORD, accesstoken
// "key" alone names half of all JSON objects; with one of these before it, it opens something.
const KEY_KINDS = new Set(
  "api access secret private auth signing encryption master service account client shared session ssh gpg deploy app admin".split(
    " ",
  ),
);
// What follows a secret word when the value is *about* the secret: token_count, password_length, key_env.
const ABOUT = new Set(
  "count counts length limit limits size type types name names env id ids file path url uri field budget usage used max min cost param format expiry expires at policy cmd prompt".split(
    " ",
  ),
);
const SECRET_VARIABLE_WORDS = new Set([
  ...SECRET_WORDS,
  ..."tokens key keys auth pass pat dsn private credentials cookies salt pin".split(" "),
]);

/** For arguments, JSON members, settings, flags and headers: `password`, `apiKey`, `x-api-key`, `GITHUB_TOKEN`, `DEPLOY_KEY`. */
export function isSecretName(name: string): boolean {
  if (name.length > 256) return false;
  let known = judged.get(name);
  if (known === undefined) {
    // The same few names come again and again; whoever sends ever new ones begins anew.
    if (judged.size >= MAX_JUDGED) judged.clear();
    judged.set(name, (known = meansSecret(name)));
  }
  return known;
}

const MAX_JUDGED = 500;
const judged = new Map<string, boolean>();

function meansSecret(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  if (words.length > 1 && ABOUT.has(last)) return false;
  if (name !== "PWD" && words.some((word) => SECRET_WORDS.has(word) || SECRET_ENDING.test(word))) return true;
  if (last === "signature" && words.includes("amz")) return true; // a signed address opens what it names
  if (last !== "key" && last !== "keys") return false;
  // FOO_KEY is how variables with keys are called; foo_key is also a column of a table.
  if (/^[A-Z0-9_]+_KEYS?$/.test(name)) return words.at(-2) !== "public";
  return KEY_KINDS.has(words.at(-2) ?? "");
}

/** For environment variables, where being left out costs little: any word that could mean a secret. */
export function isSecretVariable(name: string): boolean {
  if (name === "PWD" || name === "OLDPWD") return false;
  return wordsOf(name).some((word) => SECRET_VARIABLE_WORDS.has(word)) || isSecretName(name);
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

function shapes(label: string, body: RegExp, min: number, prefixes: readonly string[]): TokenShape[] {
  return prefixes.map((prefix) => ({ label, prefix, body, min }));
}
