/** Errors of state edits. These rows are part of `catalogue.ts`. */
export const stateCodes = {
  STATE_RESOURCE_UNKNOWN: {
    exit: 1,
    hint: 'List the resources of the state with `antichain stack export`.',
  },
  SNIPPET_UNKNOWN: {
    exit: 1,
    hint: 'Find the snippets of the state with `antichain stack export`.',
  },
  STATE_URN_AMBIGUOUS: {
    exit: 1,
    hint: 'Run the command in a terminal, and choose the resource by its id when asked.',
  },
  STATE_RESOURCE_NEEDED: {
    exit: 1,
    hint: 'Delete the dependent resources first, or pass --target-dependents.',
  },
  STATE_RESOURCE_PROTECTED: {
    exit: 1,
    hint: 'Pass --force to remove the resource from the state anyway.',
  },
  STATE_RESOURCE_EXISTS: {
    exit: 1,
    hint: 'Rename one of the two resources with `antichain state rename`.',
  },
  QUERY_INVALID: {
    exit: 2,
    hint: 'Correct the SQL. It must be one statement that only reads; docs/operations.md lists the tables.',
  },
  QUERY_LIMIT: {
    exit: 1,
    hint: 'Query fewer tables, add `where` or `limit`, pass --project, or try again later.',
  },
  EDITOR_FAILED: {
    exit: 1,
    hint: 'Set $VISUAL or $EDITOR, or pass --editor, with a command that waits until the file is closed.',
  },
} as const
