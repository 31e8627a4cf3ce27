import { apiCodes } from './api-codes.ts'
import { backendCodes } from './backend-codes.ts'
import { platformCodes } from './platform-codes.ts'
import { programCodes } from './program-codes.ts'
import { secretsCodes } from './secrets-codes.ts'
import { stateCodes } from './state-codes.ts'
import { terraformCodes } from './terraform-codes.ts'

/**
 * A row of the catalogue: the exit code of the process (Pulumi's numbers), and the next step for
 * the user.
 */
export interface CatalogueRow {
  readonly exit: number
  readonly hint: string
}

/**
 * The catalogue of error codes. Codes have the form `AREA_REASON` and are never reused. Exit codes
 * are Pulumi's: 1 general, 2 a missing confirmation, 3 authentication, 6 stack not found, 7
 * expected no changes, 8 cancelled, 255 internal. Code 2 is also for invalid settings of features
 * that Pulumi does not have. `docs/errors.md` is generated from this table.
 */
export const catalogue = {
  CLI_USAGE: { exit: 1, hint: 'Run the command with --help to see its arguments and options.' },
  FEATURE_MISSING: {
    exit: 1,
    hint: 'Remove the feature from the program or command; docs/differences.md in the antichain folder lists the missing features.',
  },
  ARCHIVE_TOO_LARGE: {
    exit: 1,
    hint: 'Exclude files that the program does not need: list them in a `.antichainignore` file.',
  },
  ARCHIVE_UNKNOWN: {
    exit: 1,
    hint: 'Upload the program for this stack again, with `antichain deploy` or `antichain up`.',
  },
  ARCHIVE_UNREADABLE: {
    exit: 1,
    hint: 'Pack the archive again, complete and with files, folders and links inside of its folder only.',
  },
  PROJECT_NOT_FOUND: {
    exit: 1,
    hint: 'Change to the folder that contains Pulumi.yaml, or pass it with -C.',
  },
  PROJECT_INVALID: { exit: 1, hint: 'Correct the project file at the position named.' },
  RUNTIME_UNKNOWN: {
    exit: 1,
    hint: 'Use nodejs, python or go, or put `pulumi-language-<name>` on your PATH. If an API runs the program, push its language plugin: `antichain plugin push`.',
  },
  CONFIG_INVALID: { exit: 1, hint: 'Correct the stack configuration file at the position named.' },
  CONFIG_MISSING: { exit: 1, hint: 'Set the value with `antichain config set <key> <value>`.' },
  ...secretsCodes,
  VALUE_MALFORMED: {
    exit: 1,
    hint: 'Report the message to the author of the program or provider: the value violates the wire format.',
  },
  STACK_NOT_FOUND: {
    exit: 6,
    hint: 'List stacks with `antichain stack ls`, or create one with `antichain stack init <name>`.',
  },
  STACK_NOT_SELECTED: {
    exit: 1,
    hint: 'Pass --stack <name>, or select a stack with `antichain stack select <name>`.',
  },
  STACK_EXISTS: {
    exit: 1,
    hint: 'Choose another name, or use the existing stack with `antichain stack select <name>`.',
  },
  OUTPUT_MISSING: { exit: 1, hint: 'List the outputs with `antichain stack output`.' },
  STACK_NAME_INVALID: {
    exit: 1,
    hint: 'Use at most 100 characters: letters, digits, `_`, `.` and `-`.',
  },
  /** A user wants to clear a pending create, but its provider call may still take effect. */
  PENDING_STILL_RUNS: {
    exit: 1,
    hint: 'Wait for the end of the process or the time that the message names; the next run adds the created resource to the state.',
  },
  PENDING_NOT_FOUND: {
    exit: 1,
    hint: 'List the pending operations with `antichain state pending ls`.',
  },
  LEASE_LOST: {
    exit: 1,
    hint: 'Find out why the store was unreachable for so long, then run `antichain resume`.',
  },
  NOTHING_TO_RESUME: { exit: 1, hint: 'Start a deployment with `antichain up`.' },
  RESUME_DIFFERS: {
    exit: 1,
    hint: 'Run `antichain up`: it closes the interrupted deployment and applies the current program.',
  },
  STACK_BUSY: {
    exit: 1,
    hint: 'Wait for the other deployment, pass --wait, or end it with `antichain cancel`.',
  },
  DEPLOYMENT_AMBIGUOUS: {
    exit: 1,
    hint: 'Name one of them: `antichain cancel --deployment <number>`. `antichain stack history` lists them.',
  },
  STACK_NOT_EMPTY: { exit: 1, hint: 'Run `antichain destroy` first, or pass --force.' },
  MOMENT_UNKNOWN: {
    exit: 1,
    hint: 'List deployments with `antichain stack history`, and the moments of one with `--show <number>`.',
  },
  RECORDS_REMOVED: {
    exit: 1,
    hint: 'Export a published version instead: list them with `antichain stack history`, and pass --version. Versions are kept longer than records.',
  },
  STATE_INVALID: {
    exit: 1,
    hint: 'Export the file again: it is not a readable state.',
  },
  STATE_TOO_NEW: {
    exit: 1,
    hint: 'Use a newer antichain, or remove the unsupported features from the file; docs/differences.md lists them.',
  },
  STATE_INTEGRITY: {
    exit: 1,
    hint: 'Repair the state with `antichain state repair` before the next deployment.',
  },
  STATE_FOREIGN: {
    exit: 1,
    hint: 'Pass --force to import the state into this stack anyway.',
  },
  PROVIDER_FAILED: {
    exit: 1,
    hint: 'Correct the problem that the provider reports, and run the command again.',
  },
  PROVIDER_REFERENCE: {
    exit: 1,
    hint: 'Correct the provider reference in the program or the state.',
  },
  RESOURCE_INVALID: { exit: 1, hint: 'Correct the resource in the program.' },
  RESOURCE_DUPLICATE: { exit: 1, hint: 'Give each resource a unique name.' },
  RESOURCE_PROTECTED: {
    exit: 1,
    hint: 'Remove `protect` from the resource in the program, and run `up` first.',
  },
  DESTROY_NEEDS_PROGRAM: {
    exit: 1,
    hint: 'Pass --run-program, so that the delete hooks of the program can run.',
  },
  DEPLOYMENT_FAILED: {
    exit: 1,
    hint: 'Correct the errors in the display (with --json: its diagnosticEvent lines), and run the command again.',
  },
  DEPLOYMENT_CANCELLED: { exit: 8, hint: 'Run the command again to continue.' },
  DEPLOYMENT_TAKEN_OVER: {
    exit: 1,
    hint: 'Wait for the other process, which now runs this deployment; `antichain stack history` shows its result.',
  },
  CONFIRMATION_MISSING: {
    exit: 2,
    hint: 'Pass --yes, or --preview-only to see the changes.',
  },
  CONFIRMATION_DECLINED: { exit: 1, hint: 'Run the command again and confirm, or pass --yes.' },
  FILE_UNREADABLE: { exit: 1, hint: 'Check the path and the permissions of the file.' },
  FILE_UNWRITABLE: {
    exit: 1,
    hint: 'Check the path, the permissions of its folder, and the disk.',
  },
  CHANGES_UNEXPECTED: { exit: 7, hint: 'Run `antichain preview --diff` to see the changes.' },
  STORE_UNAVAILABLE: {
    exit: 1,
    hint: 'Check that ANTICHAIN_HOME is writable and the disk has free space. No provider was called after this error.',
  },
  API_FUNCTION_UNREACHABLE: {
    exit: 1,
    hint: 'Run the command again. If it fails again, the log of the function `api` has the reason.',
  },
  DELIVERY_UNCONFIRMED: {
    exit: 1,
    hint: 'List the deliveries of the webhook after a minute. The log of the function `schedule` has the reason of a failure.',
  },
  STORE_MISSING: {
    exit: 1,
    hint: 'Check that the platform is deployed in this account and region (`antichain platform status`).',
  },
  STORE_DENIED: {
    exit: 3,
    hint: 'Grant the role of this function the permission named in the message; docs/aws.md lists all permissions.',
  },
  STACK_ROLE_REFUSED: {
    exit: 3,
    hint: "Add the generator and executor roles to the role's trust policy, with the external id of the message; docs/aws.md has an example.",
  },
  PREVIEW_ROLE_MISSING: {
    exit: 2,
    hint: 'Set `antichain:previewRole` to a role that can only read, and deploy the stack. docs/triggers.md describes `previewWithDeployRole`, the exception for a rule.',
  },
  STORE_CREDENTIALS: {
    exit: 3,
    hint: 'Renew the AWS credentials of this process, and check that its clock is correct.',
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
    hint: 'Use the newer antichain that wrote the record; this version did not change it.',
  },
  RECORD_DAMAGED: {
    exit: 1,
    hint: 'Restore the store from a backup, or run `antichain cancel --force` to return the stack to its last published state. The damaged record was not overwritten.',
  },
  RECORD_TOO_LARGE: {
    exit: 1,
    hint: 'Reduce the size of the data that the message names: a DynamoDB item is limited to 400 KB.',
  },
  STORE_CONFLICT: {
    exit: 1,
    hint: 'Run the command again: the stack was updated concurrently.',
  },
  AWS_SETTINGS_INVALID: {
    exit: 2,
    hint: 'Set AWS_REGION to the region of the installation. Set ANTICHAIN_<SERVICE>_ENDPOINT for emulators only.',
  },
  BLOB_TOO_LARGE: { exit: 1, hint: 'Make the file, archive or resource smaller, or split it.' },
  MESSAGE_TOO_LARGE: {
    exit: 255,
    hint: 'Report this bug of antichain with the output of -v.',
  },
  DOCUMENT_INVALID: {
    exit: 2,
    hint: 'Correct the field named in the message; docs/triggers.md describes webhooks, schedules and notifications.',
  },
  SEALED_UNREADABLE: {
    exit: 1,
    hint: 'Restore the key that encrypted the value, or set the value again.',
  },
  WEBHOOK_UNKNOWN: { exit: 1, hint: 'List the webhooks, and correct the address at the sender.' },
  WEBHOOK_REFUSED: {
    exit: 3,
    hint: 'Set the same secret at the sender and here; the signature covers the exact bytes of the body.',
  },
  WEBHOOK_STALE: {
    exit: 3,
    hint: 'Correct the clock of the sender, and sign each repeated delivery again.',
  },
  WEBHOOK_MALFORMED: {
    exit: 1,
    hint: 'Send the body as JSON in the format that docs/triggers.md describes.',
  },
  WEBHOOK_TOO_LARGE: { exit: 1, hint: 'Send a body of at most 1 MB.' },
  SCHEDULE_INVALID: {
    exit: 2,
    hint: 'Write five cron fields, `rate(5 minutes)` or `at(2027-01-31T04:00:00)`, and an IANA time zone.',
  },
  DRIFT_READ_RECENTLY: {
    exit: 1,
    hint: 'Wait for the next run, or create the schedule again with a shorter --skip-read-within.',
  },
  OUTBOUND_REFUSED: {
    exit: 1,
    hint: 'Use a public https address, or add the network of the address to ANTICHAIN_OUTBOUND_NETWORKS.',
  },
  OUTBOUND_FAILED: {
    exit: 1,
    hint: 'Check that the address is reachable; the message contains its response.',
  },
  EXPORT_INVALID: {
    exit: 1,
    hint: 'Run `antichain platform export` again; nothing was imported.',
  },
  ARCHIVE_INVALID: {
    exit: 1,
    hint: 'Remove the file named in the message from the repository; links must point inside it.',
  },
  INSTALL_FAILED: {
    exit: 1,
    hint: 'Correct the error that the package manager reports, and push again.',
  },
  ...programCodes,
  ...stateCodes,
  ...terraformCodes,
  ...backendCodes,
  ...platformCodes,
  ...apiCodes,
  NODE_TOO_OLD: {
    exit: 1,
    hint: 'Run `npm install` in the antichain folder; it installs Node 24.',
  },
  INTERNAL_ASSERTION: {
    exit: 255,
    hint: 'Report this bug of antichain with the output of -v.',
  },
} as const satisfies Record<string, CatalogueRow>

/** A code of the catalogue. */
export type ErrorCode = keyof typeof catalogue
