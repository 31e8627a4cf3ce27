/** What the API and its callers are told; rows of the catalogue. */
export const apiCodes = {
  API_TOKEN_MISSING: {
    exit: 3,
    hint: 'Send the token as `authorization: Bearer <token>`; `antichain login <address>` keeps it.',
  },
  API_TOKEN_REFUSED: {
    exit: 3,
    hint: 'Ask for a new token: this one is unknown, was revoked, or its time is over.',
  },
  API_FORBIDDEN: {
    exit: 3,
    hint: 'Use a token whose role and stacks allow it; `antichain whoami` says what yours may.',
  },
  API_RATE_LIMITED: { exit: 1, hint: 'Wait as long as the header `retry-after` says.' },
  API_BODY_TOO_LARGE: { exit: 1, hint: 'Send less; docs/api.md has the limits.' },
  API_INPUT_INVALID: {
    exit: 1,
    hint: 'Correct the request at the place named; /openapi.json says what it takes.',
  },
  API_ROUTE_UNKNOWN: { exit: 1, hint: 'See /openapi.json for what there is.' },
  API_UNREACHABLE: {
    exit: 1,
    hint: 'Check the address, and that `antichain serve --port` or `npm run cloud` runs there; `antichain logout` goes back to the store of this machine.',
  },
  API_ANSWER_UNKNOWN: {
    exit: 1,
    hint: 'What answered is no Antichain API, or one of another version.',
  },
  LOGIN_INSECURE: { exit: 3, hint: 'Use https, or a loopback address: a token is sent with it.' },
  LOGIN_MISSING: { exit: 3, hint: 'Run `antichain login <address>` first.' },
  REQUEST_UNKNOWN: {
    exit: 1,
    hint: 'Ask for the stack and key of the answer to your request; ended ones are forgotten in time.',
  },
  REQUEST_KEY_TAKEN: {
    exit: 1,
    hint: 'Another request of this stack has the key: choose a new `idempotency-key`.',
  },
  REQUEST_BEGUN: {
    exit: 1,
    hint: 'See what it came to; a deployment that runs is ended with `antichain cancel`.',
  },
  REQUEST_QUEUE_FULL: { exit: 1, hint: 'Wait until some of those that wait have been served.' },
  REQUEST_REFUSED: { exit: 1, hint: 'Correct what the sentence names, and ask again.' },
  DEPLOYMENT_UNKNOWN: { exit: 1, hint: 'List deployments with `antichain stack history`.' },
  DOCUMENT_UNKNOWN: { exit: 1, hint: 'List what there is with `ls` of the same command.' },
  DOCUMENT_CHANGED: { exit: 1, hint: 'Somebody changed it meanwhile: look at it, and ask again.' },
  PLUGIN_TAKEN: {
    exit: 1,
    hint: 'A version of a plugin is never changed: push it under another version.',
  },
  UPLOAD_REFUSED: {
    exit: 1,
    hint: 'Run the command again: the address that takes an upload is good for a quarter of an hour.',
  },
  UPLOAD_DIFFERS: { exit: 1, hint: 'Send the bytes whose SHA-256 the address names.' },
} as const
