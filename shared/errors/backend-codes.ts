/** Errors about self-managed backends. These rows are part of the catalogue. */
export const backendCodes = {
  BACKEND_URL_INVALID: {
    exit: 1,
    hint: 'Use an address such as file:///srv/state or s3://bucket/folder; docs/backends.md lists all forms.',
  },
  BACKEND_MISSING: {
    exit: 1,
    hint: 'Check the name of the bucket or folder, and its region.',
  },
  BACKEND_DENIED: {
    exit: 1,
    hint: 'Grant this process or its credentials the permission to list, read, write and delete the objects below .pulumi/.',
  },
  BACKEND_CREDENTIALS: {
    exit: 1,
    hint: 'Sign in to the cloud of the bucket, or renew the credentials of this process.',
  },
  BACKEND_INVALID: {
    exit: 1,
    hint: 'Restore the named object from its .bak copy or from .pulumi/backups/.',
  },
  BACKEND_TOO_NEW: {
    exit: 1,
    hint: 'Use a version of antichain that knows this layout.',
  },
  BACKEND_LOCKED: {
    exit: 1,
    hint: 'Wait for the other process. If it no longer runs, remove its lock with `antichain cancel`.',
  },
  BACKEND_CONDITION_REFUSED: {
    exit: 1,
    hint: 'Use a store that supports the header If-None-Match. To move existing stacks to it, run `antichain cancel` and copy them.',
  },
  BACKEND_CHANGED: {
    exit: 1,
    hint: 'Compare the state of this machine (`antichain stack export`) with the checkpoint of the stack in the backend.',
  },
} as const
