// Secrets with a distinctive form, such as the keys of many services. They are recognized anywhere.
import { isPlaceholder, isWords } from './secret-values.ts';

/** A part of a text, from `start` up to and without `end`. */
export type Span = readonly [start: number, end: number];

// The prefixes of keys, and a pattern for the characters after them. A key may be longer than the pattern.
const formats: readonly [prefixes: string, body: string][] = [
  ['AKIA ASIA ABIA ACCA', '[A-Z2-7]{16}'], // AWS
  ['ABSK', '[A-Za-z0-9]{60}'],
  ['LTAI', '[A-Za-z0-9]{20}'], // Alibaba
  ['ghp_ gho_ ghu_ ghs_ ghr_', '\\w{30}'], // GitHub
  ['github_pat_', '\\w{40}'],
  ['glpat- glrt- gldt- glft- glsoat- glcbt- glffct- glimt- glagent- gloas- glptt-', '[\\w.-]{20}'], // GitLab
  ['GR1348941', '[\\w-]{20}'],
  ['AIza', '[\\w-]{35}'], // Google
  ['ya29\\.', '[\\w-]{20}'],
  ['GOCSPX-', '[\\w-]{28}'],
  ['xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-', '[\\w-]{16}'], // Slack
  ['xapp-\\d-', '[\\w-]{40}'],
  ['sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_', '[A-Za-z0-9]{16}'], // Stripe
  ['sk-', '[\\w-]{20}'], // OpenAI, Anthropic and their imitators
  ['hf_ api_org_', '[A-Za-z0-9]{34}'], // Hugging Face
  ['gsk_', '[A-Za-z0-9]{40}'], // Groq
  ['r8_', '[A-Za-z0-9]{37}'], // Replicate
  ['pplx- fw_', '[A-Za-z0-9]{24}'], // Perplexity, Fireworks
  ['npm_', '[A-Za-z0-9]{36}'],
  ['pypi-', '[\\w-]{60}'],
  ['rubygems_', '[0-9a-f]{48}'],
  ['CLOJARS_', '[A-Za-z0-9]{60}'],
  ['dckr_pat_ dckr_oat_', '[\\w-]{24}'], // Docker
  ['hvs\\. hvb\\. hvr\\.', '[\\w-]{24}'], // HashiCorp
  ['[A-Za-z0-9]{14}\\.atlasv1\\.', '[\\w-]{60}'],
  ['shpat_ shpca_ shppa_ shpss_', '[0-9A-Fa-f]{32}'], // Shopify
  ['dop_v1_ doo_v1_ dor_v1_', '[0-9a-f]{64}'], // DigitalOcean
  ['SG\\.', '[\\w-]{16,24}\\.[\\w-]{39}'], // SendGrid
  ['key-', '[0-9a-f]{32}'], // Mailgun
  ['[0-9a-f]{32}-us', '\\d'], // Mailchimp
  ['xkeysib-', '[0-9a-f]{64}'], // Brevo
  ['SK', '[0-9a-f]{32}$'], // Twilio
  ['[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.', '[\\w-]{27,38}$'], // Discord
  ['EAA[A-Z]', '[A-Za-z0-9]{80}'], // Meta
  ['sq0atp- sq0csp- EAAA', '[\\w-]{22}'], // Square
  ['PMAK-', '[0-9a-f]{24}-[0-9a-f]{34}'], // Postman
  ['glsa_ glc_', '[A-Za-z0-9]{32}'], // Grafana
  ['lin_api_ lin_oauth_', '[A-Za-z0-9]{32}'], // Linear
  ['ntn_ secret_', '[A-Za-z0-9]{43}'], // Notion
  ['figd_', '[\\w-]{40}'], // Figma
  ['dapi', '[0-9a-f]{32}'], // Databricks
  ['dp\\.pt\\. dp\\.st\\.', '[\\w.-]{40}'], // Doppler
  ['dt0c01\\.', '[A-Z0-9]{24}\\.[A-Z0-9]{64}'], // Dynatrace
  ['pscale_tkn_ pscale_pw_ pscale_oauth_', '[\\w.-]{32}'], // PlanetScale
  ['pul-', '[0-9a-f]{40}'], // Pulumi
  ['sntryu_ sntrys_', '\\w{40}'], // Sentry
  ['NRAK- NRII- NRJS-', '[A-Za-z0-9-]{19}'], // New Relic
  ['ATATT3', '[\\w-]{60}'], // Atlassian
  ['AKCp', '[A-Za-z0-9]{69}'], // Artifactory
  ['AGE-SECRET-KEY-1', '[A-Z0-9]{58}'],
  ['tskey-[a-z]{2,12}-', '[\\w-]{20}'], // Tailscale
  ['vcp_ vci_ vca_ vcr_ vck_', '[A-Za-z0-9]{24}'], // Vercel
  ['ops_', 'eyJ\\w{60}'], // 1Password
  ['HRKU-', '[\\w-]{30}'], // Heroku
  ['FLWSECK_TEST- FLWSECK-', '[0-9a-h]{12}'], // Flutterwave
  ['sgp_', '\\w{40}'], // Sourcegraph
  ['rdme_', '[a-z0-9]{70}'], // ReadMe
  ['shippo_live_ shippo_test_', '[0-9a-f]{40}'],
  ['duffel_live_ duffel_test_', '[\\w-]{43}'],
  ['[\\w~.]{3}\\dQ~', '[\\w~.-]{31}'], // Entra ID
  ['eyJ', '[\\w-]{8,}\\.eyJ[\\w-]{8}'], // JSON Web Tokens
];
const token = new RegExp(
  `^(?:${formats.map(([prefixes, body]) => `(?:${prefixes.replaceAll(' ', '|')})${body}`).join('|')})`,
);

// Runs of characters that may be a token. In a string, an escaped line break may come before them.
const runs = /(?:\\[nrt]|\b)[\w.~-]{20,}/g;

// Secrets that have another form: addresses with a key in them, and files of keys.
const others = new RegExp(
  [
    'hooks\\.slack\\.com/(?:services|workflows|triggers)/[\\w/]{30,}',
    'discord(?:app)?\\.com/api/webhooks/\\d{15,22}/[\\w-]{50,}',
    '\\.webhook\\.office\\.com/webhookb2/[\\w@/-]{60,}',
    '[?&]sig=[\\w%+/-]{40,}',
    '(?<!\\d)\\d{8,10}:AA[\\w-]{32,}', // Telegram
    'PuTTY-User-Key-File-\\d:',
    // The text of the key must follow the header. In a program that only compares or writes headers, the string ends
    // there.
    '-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?=(?:\\\\[nr]|[\\s>|]){0,40}(?:[\\w+/]|$(?![^])))',
  ].join('|'),
  'g',
);

export function* tokensIn(text: string): Generator<Span> {
  for (const { 0: run, index } of text.matchAll(runs)) {
    const value = run.startsWith('\\') ? run.slice(2) : run;
    if (token.test(value) && !isPlaceholder(value) && !isWords(value))
      yield [index + run.length - value.length, index + run.length];
  }
  for (const { 0: found, index } of text.matchAll(others)) {
    if (found.startsWith('-----')) yield [index, endOfKey(text, index)];
    else if (!isPlaceholder(found)) yield [index, found.startsWith('PuTTY') ? text.length : index + found.length];
  }
}

function endOfKey(text: string, start: number): number {
  const last = text.indexOf('-----END ', start);
  const end = last < 0 ? -1 : text.indexOf('-----', last + 9);
  return end < 0 ? text.length : end + 5;
}
