/** Errors of the API and its clients. These rows are part of the catalogue. */
export const apiCodes = {
  API_TOKEN_MISSING: {
    exit: 3,
    hint: 'Run `antichain login <address>`, or send the token in the header `authorization: Bearer <token>`.',
  },
  API_TOKEN_REFUSED: {
    exit: 3,
    hint: 'Request a new token: this one is unknown or revoked, its federation rule was changed, or it expired a long time ago.',
  },
  API_TOKEN_EXPIRED: {
    exit: 3,
    hint: 'Log in with a new token, from `antichain token create` or `antichain token rotate`; in CI, run `antichain login --oidc` again.',
  },
  OIDC_TOKEN_MISSING: {
    exit: 3,
    hint: 'In GitHub Actions, grant the job `permissions: id-token: write`. Elsewhere, set ANTICHAIN_OIDC_TOKEN, or pass --oidc-token-file.',
  },
  OIDC_TOKEN_INVALID: {
    exit: 3,
    hint: 'Send the token of the issuer unchanged. It is a JWT with an asymmetric signature and the claims sub, aud, exp and iat.',
  },
  OIDC_TOKEN_EXPIRED: {
    exit: 3,
    hint: 'Request a new token of the issuer immediately before `antichain login --oidc`.',
  },
  OIDC_AUDIENCE_WRONG: {
    exit: 3,
    hint: 'Request the token for the audience of the rule: `antichain login --oidc --audience <text>`, or `aud` of `id_tokens` in GitLab.',
  },
  OIDC_TOKEN_FOREIGN: {
    exit: 3,
    hint: 'Compare issuer and claims of the token with the rules of `antichain federation ls`, which an admin can read.',
  },
  OIDC_RULE_AMBIGUOUS: {
    exit: 3,
    hint: 'Name one of the rules with `antichain login --oidc --rule <name>`.',
  },
  OIDC_ISSUER_UNREACHABLE: {
    exit: 1,
    hint: 'Repeat the command. If it fails again, check the issuer of the rule; the log of the API has the cause.',
  },
  FEDERATION_TOO_BROAD: {
    exit: 2,
    hint: 'Add a condition that names the owner, such as `--claim repository=acme/shop`; docs/api.md lists the claims for each issuer.',
  },
  API_FORBIDDEN: {
    exit: 3,
    hint: 'Use a token whose role and stacks allow the request; `antichain whoami` shows what yours allows.',
  },
  API_RATE_LIMITED: {
    exit: 1,
    hint: 'Retry after the number of seconds in the `retry-after` header.',
  },
  API_BODY_TOO_LARGE: {
    exit: 1,
    hint: 'Reduce the size of the request; docs/api.md lists the limits.',
  },
  API_ENCODING_UNKNOWN: {
    exit: 1,
    hint: 'Send the body without a content encoding, or with gzip.',
  },
  API_INPUT_INVALID: {
    exit: 1,
    hint: 'Correct the request at the place named; /openapi.json describes the expected input.',
  },
  API_ROUTE_UNKNOWN: {
    exit: 1,
    hint: 'Correct the method and path; /openapi.json lists all routes.',
  },
  API_UNREACHABLE: {
    exit: 1,
    hint: 'Check the address, and that `antichain serve --port` or `npm run cloud` runs there. To use the store of this machine instead, run `antichain logout`.',
  },
  API_ANSWER_UNKNOWN: {
    exit: 1,
    hint: 'Check that the address is an Antichain API, and that its version matches this command line.',
  },
  LOGIN_INSECURE: {
    exit: 3,
    hint: 'Use an https address, or a loopback address: the token is sent with every request.',
  },
  LOGIN_MISSING: { exit: 3, hint: 'Run `antichain login <address>` first.' },
  REQUEST_UNKNOWN: {
    exit: 1,
    hint: 'Use the stack and key that the API returned for your request; ended requests are removed after some time.',
  },
  REQUEST_KEY_TAKEN: {
    exit: 1,
    hint: 'Choose another `idempotency-key`: a different request of this stack already uses this one.',
  },
  REQUEST_BEGUN: {
    exit: 1,
    hint: 'Check the result of the request. To end a running deployment, run `antichain cancel`.',
  },
  REQUEST_EXPIRED: {
    exit: 1,
    hint: 'Repeat the command. If it waits again, check that a generator serves the stack.',
  },
  REQUEST_UNAPPROVED: {
    exit: 1,
    hint: 'Request the deployment again. The webhook or schedule of a request must not be removed, paused or changed before the request begins.',
  },
  APPROVAL_REQUIRED: {
    exit: 1,
    hint: 'Log in to a server of this store, and run the command there. The server previews the request, and a token with the role `approve` approves its plan.',
  },
  APPROVAL_EXPIRED: {
    exit: 1,
    hint: 'Request the deployment again. Its new plan can then be approved.',
  },
  APPROVAL_OWN: {
    exit: 1,
    hint: 'Ask the holder of another token with the role `approve`.',
  },
  APPROVAL_DECIDED: {
    exit: 1,
    hint: 'Check the decision with `antichain deployment approvals`. To change it, request the deployment again.',
  },
  APPROVAL_UNKNOWN: {
    exit: 1,
    hint: 'List the requests that wait for an approval with `antichain deployment approvals`.',
  },
  REQUEST_QUEUE_FULL: {
    exit: 1,
    hint: 'Wait until some of the waiting requests have run, and send the request again.',
  },
  REQUEST_REFUSED: {
    exit: 1,
    hint: 'Correct the problem named in the message, and send the request again.',
  },
  DEPLOYMENT_UNKNOWN: {
    exit: 1,
    hint: 'List the deployments of the stack with `antichain stack history`.',
  },
  DOCUMENT_UNKNOWN: {
    exit: 1,
    hint: 'List the existing names with the `ls` subcommand of the same command.',
  },
  DOCUMENT_CHANGED: { exit: 1, hint: 'Read the current version, and apply your change to it.' },
  PLUGIN_TAKEN: {
    exit: 1,
    hint: 'Push the plugin under another version: a published version cannot be changed.',
  },
  UPLOAD_REFUSED: {
    exit: 1,
    hint: 'Run the command again: an upload address expires after 15 minutes.',
  },
  UPLOAD_DIFFERS: { exit: 1, hint: 'Upload the bytes whose SHA-256 is in the address.' },
} as const
