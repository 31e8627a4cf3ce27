/** Codes of edits of a state; rows as in `catalogue.ts`, of which they are part. */
export const stateCodes = {
  STATE_RESOURCE_UNKNOWN: {
    exit: 1,
    hint: 'List what the state has with `antichain stack export`.',
  },
  STATE_URN_AMBIGUOUS: {
    exit: 1,
    hint: 'Run the command at a terminal, where you are asked for the id of the one that is meant.',
  },
  STATE_RESOURCE_NEEDED: {
    exit: 1,
    hint: 'Delete those first, or pass --target-dependents.',
  },
  STATE_RESOURCE_PROTECTED: {
    exit: 1,
    hint: 'Pass --force if the state shall forget it all the same.',
  },
  STATE_RESOURCE_EXISTS: {
    exit: 1,
    hint: 'Rename one of the two with `antichain state rename`.',
  },
} as const
