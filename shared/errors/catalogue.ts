import { apiCodes } from './api-codes.ts'
import { platformCodes } from './platform-codes.ts'
import { programCodes } from './program-codes.ts'
import { stateCodes } from './state-codes.ts'

/** One row of the catalogue: the process exit code (Pulumi's numbers) and what to do next. */
export interface CatalogueRow {
  readonly exit: number
  readonly hint: string
}

/**
 * Every error code. Codes are `AREA_REASON` and never reused. Exit codes are Pulumi's:
 * 1 general, 2 configuration, 3 authentication, 6 stack not found, 7 expected no changes,
 * 8 cancelled, 255 internal. `docs/errors.md` is made from this table.
 */
export const catalogue = {
  CLI_USAGE: { exit: 2, hint: 'Run the command with --help to see what it takes.' },
  FEATURE_MISSING: {
    exit: 1,
    hint: 'Leave the feature out; docs/differences.md in the antichain folder lists what is missing.',
  },
  ARCHIVE_TOO_LARGE: {
    exit: 1,
    hint: 'Leave out what the program does not need: name it in a `.antichainignore` file.',
  },
  ARCHIVE_UNREADABLE: {
    exit: 1,
    hint: 'Pack the program again; an archive holds files, folders and links of the program only.',
  },
  PROJECT_NOT_FOUND: {
    exit: 2,
    hint: 'Go to the folder that has Pulumi.yaml, or name it with -C.',
  },
  PROJECT_INVALID: { exit: 2, hint: 'Correct the project file at the place named.' },
  RUNTIME_UNKNOWN: {
    exit: 2,
    hint: 'Use nodejs, python or go, or put `pulumi-language-<name>` on your PATH.',
  },
  CONFIG_INVALID: { exit: 2, hint: 'Correct the stack configuration file at the place named.' },
  CONFIG_MISSING: { exit: 2, hint: 'Set the value with `antichain config set <key> <value>`.' },
  SECRETS_PASSPHRASE_WRONG: {
    exit: 3,
    hint: 'Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to the passphrase of this stack.',
  },
  SECRETS_PASSPHRASE_MISSING: {
    exit: 3,
    hint: 'Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE.',
  },
  SECRETS_MANAGER_UNSUPPORTED: {
    exit: 1,
    hint: 'Export the state with --show-secrets where its secrets can be read, and import that.',
  },
  SECRETS_URL_INVALID: {
    exit: 2,
    hint: 'Write it as awskms://<key id, alias/name or ARN>?region=<region>.',
  },
  SECRETS_KEY_UNUSABLE: {
    exit: 3,
    hint: 'Enable the key, or cancel its deletion; what it sealed cannot be opened without it.',
  },
  SECRETS_PROVIDER_CHANGED: {
    exit: 2,
    hint: 'Keep the provider that the stack has; to change it, export the state with --show-secrets and import it into a new stack.',
  },
  SECRETS_MALFORMED: {
    exit: 1,
    hint: 'The ciphertext is damaged or belongs to another stack; restore it from a backup.',
  },
  VALUE_MALFORMED: {
    exit: 1,
    hint: 'The value does not follow the wire format; report it to the maker of the program or provider.',
  },
  STACK_NOT_FOUND: {
    exit: 6,
    hint: 'List stacks with `antichain stack ls`, or make one with `antichain stack init <name>`.',
  },
  STACK_NOT_SELECTED: {
    exit: 6,
    hint: 'Name it with --stack, or choose one with `antichain stack select <name>`.',
  },
  STACK_EXISTS: { exit: 1, hint: 'Choose another name, or `antichain stack select <name>`.' },
  OUTPUT_MISSING: { exit: 1, hint: 'List the outputs with `antichain stack output`.' },
  STACK_NAME_INVALID: {
    exit: 2,
    hint: 'Use letters, digits, `_`, `.` and `-`, at most 100 characters.',
  },
  /** A create is to be forgotten whose provider call may still land. */
  PENDING_STILL_RUNS: {
    exit: 1,
    hint: 'Wait until the process has ended or its time is over; what it makes is taken in by the next run.',
  },
  PENDING_NOT_FOUND: { exit: 1, hint: 'List what is pending with `antichain state pending ls`.' },
  LEASE_LOST: {
    exit: 1,
    hint: 'See why the store could not be reached for so long, then run `antichain resume`.',
  },
  NOTHING_TO_RESUME: { exit: 1, hint: 'Start a deployment with `antichain up`.' },
  RESUME_DIFFERS: {
    exit: 1,
    hint: 'Run `antichain up`: it closes the interrupted deployment and applies the program as it is now.',
  },
  STACK_BUSY: {
    exit: 1,
    hint: 'Wait for the other deployment, pass --wait, or end it with `antichain cancel`.',
  },
  STACK_NOT_EMPTY: { exit: 1, hint: 'Run `antichain destroy` first, or pass --force.' },
  MOMENT_UNKNOWN: {
    exit: 1,
    hint: 'List deployments with `antichain stack history`, and the moments of one with `--show <number>`.',
  },
  RECORDS_REMOVED: {
    exit: 1,
    hint: 'Published versions stay longer than records: list them with `antichain stack history`, export one with --version.',
  },
  STATE_INVALID: {
    exit: 1,
    hint: 'The file is not a deployment that can be read; export it again.',
  },
  STATE_TOO_NEW: {
    exit: 1,
    hint: 'The file needs features this version does not have; docs/differences.md lists them.',
  },
  STATE_INTEGRITY: {
    exit: 1,
    hint: 'Repair the state with `antichain state repair` before the next deployment.',
  },
  STATE_FOREIGN: {
    exit: 1,
    hint: 'Pass --force if the state shall go into this stack all the same.',
  },
  PROVIDER_FAILED: { exit: 1, hint: 'Correct what the provider names and run the command again.' },
  PROVIDER_REFERENCE: {
    exit: 1,
    hint: 'Repair the provider reference in the state or the program.',
  },
  RESOURCE_INVALID: { exit: 1, hint: 'Correct the resource in the program.' },
  RESOURCE_DUPLICATE: { exit: 1, hint: 'Give each resource a name of its own.' },
  RESOURCE_PROTECTED: {
    exit: 1,
    hint: 'Remove `protect` from the resource in the program and run `up` first.',
  },
  DESTROY_NEEDS_PROGRAM: {
    exit: 1,
    hint: 'Run it with --run-program, so that the hooks can be called.',
  },
  DEPLOYMENT_FAILED: {
    exit: 1,
    hint: 'Correct what the errors of the display name (with --json: its diagnosticEvent lines), and run the command again.',
  },
  DEPLOYMENT_CANCELLED: { exit: 8, hint: 'Run the command again to go on.' },
  DEPLOYMENT_TAKEN_OVER: {
    exit: 1,
    hint: 'Another process holds this deployment; look with `antichain stack history`.',
  },
  CONFIRMATION_DECLINED: { exit: 1, hint: 'Run the command again and answer yes.' },
  FILE_UNREADABLE: { exit: 1, hint: 'Check the name and the rights of the file.' },
  CHANGES_UNEXPECTED: { exit: 7, hint: 'Run `antichain preview --diff` to see what changed.' },
  STORE_UNAVAILABLE: {
    exit: 1,
    hint: 'Check that ANTICHAIN_HOME can be written and the disk has room; nothing was sent to a provider after this.',
  },
  STORE_MISSING: {
    exit: 1,
    hint: 'Check that the platform is deployed in this account and region (`antichain platform status`).',
  },
  STORE_DENIED: {
    exit: 3,
    hint: 'Give the role of this function the permission that is named; docs/aws.md lists them.',
  },
  STACK_ROLE_REFUSED: {
    exit: 3,
    hint: "Let the role's trust policy name the roles of the installation's generator and executor, under the external id that is named; docs/aws.md shows one.",
  },
  STORE_CREDENTIALS: {
    exit: 3,
    hint: 'Get new credentials of AWS for this process, and check that its clock is right.',
  },
  STORE_REGION_WRONG: {
    exit: 2,
    hint: 'Set AWS_REGION to the region in which the platform is deployed.',
  },
  STORE_TOO_NEW: {
    exit: 1,
    hint: 'Use the newer antichain that wrote the store, or set ANTICHAIN_HOME to another folder.',
  },
  RECORD_TOO_NEW: {
    exit: 1,
    hint: 'Use the newer antichain that wrote the record; this one changed nothing of it.',
  },
  RECORD_DAMAGED: {
    exit: 1,
    hint: 'Nothing was written over it. Restore the store from a backup, or run `antichain cancel --force`: the stack is then as it was last published.',
  },
  RECORD_TOO_LARGE: {
    exit: 1,
    hint: 'An item of DynamoDB ends at 400 KB; make what the message names smaller.',
  },
  STORE_CONFLICT: {
    exit: 1,
    hint: 'Someone else changed the stack meanwhile; run the command again.',
  },
  AWS_SETTINGS_INVALID: {
    exit: 2,
    hint: 'Set AWS_REGION to the region of the installation; ANTICHAIN_<SERVICE>_ENDPOINT is for emulators only.',
  },
  BLOB_TOO_LARGE: { exit: 1, hint: 'Make the file, archive or resource smaller, or divide it.' },
  MESSAGE_TOO_LARGE: {
    exit: 255,
    hint: 'This is a fault of antichain; please report it with the output of -v.',
  },
  DOCUMENT_INVALID: {
    exit: 2,
    hint: 'Correct what the message names; docs/triggers.md has the form of webhooks, schedules and notifications.',
  },
  SEALED_UNREADABLE: {
    exit: 1,
    hint: 'The key that sealed the value is not the one that is here; restore it, or set the value again.',
  },
  WEBHOOK_UNKNOWN: { exit: 1, hint: 'List webhooks, and correct the address at the sender.' },
  WEBHOOK_REFUSED: {
    exit: 3,
    hint: 'Set the same secret at the sender and here; the signature covers the body byte for byte.',
  },
  WEBHOOK_STALE: {
    exit: 3,
    hint: 'Set the clock of the sender right, and sign again whenever a delivery is repeated.',
  },
  WEBHOOK_MALFORMED: {
    exit: 1,
    hint: 'Send the body as JSON of the form that docs/triggers.md describes.',
  },
  WEBHOOK_TOO_LARGE: { exit: 1, hint: 'Send at most 1 MB.' },
  SCHEDULE_INVALID: {
    exit: 2,
    hint: 'Write five fields of cron, `rate(5 minutes)` or `at(2027-01-31T04:00:00)`, and an IANA time zone.',
  },
  OUTBOUND_REFUSED: {
    exit: 1,
    hint: 'Use an https address on the public internet, or put its network on the list of allowed ones.',
  },
  OUTBOUND_FAILED: {
    exit: 1,
    hint: 'See whether the address answers; what it said stands in the message.',
  },
  ARCHIVE_INVALID: {
    exit: 1,
    hint: 'Remove from the repository what the message names; links must stay within it.',
  },
  INSTALL_FAILED: { exit: 1, hint: 'Correct what the package manager says, and push again.' },
  ...programCodes,
  ...stateCodes,
  ...platformCodes,
  ...apiCodes,
  NODE_TOO_OLD: { exit: 1, hint: 'Run `npm install` in the antichain folder; it brings Node 24.' },
  INTERNAL_ASSERTION: {
    exit: 255,
    hint: 'This is a fault of antichain; please report it with the output of -v.',
  },
} as const satisfies Record<string, CatalogueRow>

/** A code of the catalogue. */
export type ErrorCode = keyof typeof catalogue
