import { type Mutation, selectFirstSeeds, testsOf } from './mutation.ts'

/** Mutations of the fold, its publication, the next base, secrets, and the blob sweep. */
export const foldingMutations: readonly Mutation[] = [
  {
    name: 'an end is folded before the ends of its needs',
    breaks: 'I6: the fold is of a closed set',
    file: 'shared/journal/operation-facts.ts',
    edits: [
      [
        'findWithheldOperations(operations, facts, retriedCalls)',
        'findWithheldOperations(new Map(), facts, retriedCalls)',
      ],
    ],
    caughtBy: [testsOf('shared/journal/operation-facts')],
  },
  {
    name: 'the fold depends on the order of its entries',
    breaks: 'I6: the fold depends on the base and the set of entries only',
    file: 'shared/journal/sort-by-sequence.ts',
    edits: [['.sort((one, other) => sequenceOf(one) - sequenceOf(other))', '']],
    caughtBy: [testsOf('shared/journal/replay-entries')],
  },
  {
    name: 'a duplicate entry counts twice',
    breaks: 'I6: duplicates do not matter',
    file: 'shared/journal/sort-by-sequence.ts',
    edits: [['return [...bySequence.values()].sort(', 'return [...list].sort(']],
    caughtBy: [testsOf('shared/journal/replay-entries'), testsOf('test/property/fold')],
  },
  {
    name: 'pending creates of the base are dropped',
    breaks: 'start: pending creates are kept until imported, cleared or resolved',
    file: 'shared/journal/replay-entries.ts',
    edits: [["({ type }) => type === 'creating'", "({ type }) => type === ''"]],
    caughtBy: [testsOf('shared/journal/replay-entries')],
  },
  {
    name: 'a begun operation without an end is not pending after the fold',
    breaks: 'I9: a pending operation names every object that may exist',
    file: 'shared/journal/replay-entries.ts',
    edits: [
      [
        'state.begunOperations.set(entry.operation, entry.pending)',
        'state.begunOperations.set(entry.operation, undefined)',
      ],
    ],
    caughtBy: [testsOf('shared/journal/replay-entries')],
  },
  {
    name: 'a base index is used for another URN',
    breaks: 'the fold refuses a base whose URN at that index differs',
    file: 'shared/journal/operation-facts.ts',
    edits: [
      [
        'if (state !== undefined && state.urn === urn) return state',
        'if (state !== undefined) return state',
      ],
    ],
    caughtBy: [testsOf('shared/journal/fold')],
  },
  {
    name: 'an invalid snapshot is published without a mark',
    breaks: 'I7: an invalid snapshot is published with a mark of its violations',
    file: 'shared/journal/fold.ts',
    edits: [
      [
        'if (fault === undefined) return { ...deployment, metadata }',
        "if (fault !== '') return { ...deployment, metadata }",
      ],
    ],
    caughtBy: [testsOf('shared/journal/fold')],
  },
  {
    name: 'a deployment starts on a marked snapshot',
    breaks: 'I7: no deployment starts on an invalid snapshot until it is repaired',
    file: 'functions/step-generator/start-deployment.ts',
    edits: [
      [
        '    requireValidState(stored)\n',
        '    if (stored.metadata === undefined) requireValidState(stored)\n',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/resumed-deployments', 'refuses an invalid state')],
  },
  {
    name: 'a fold is not sorted',
    breaks: 'the fold sorts topologically',
    file: 'shared/journal/fold.ts',
    edits: [
      [
        'return sortTopologically(resources).resources',
        'return resources.length < 0 ? sortTopologically(resources).resources : resources',
      ],
    ],
    caughtBy: [testsOf('shared/journal/fold')],
  },
  {
    name: 'a close publishes from the current pointer',
    breaks: 'close: compare-and-swap from the version of the pinned base',
    file: 'shared/runtime/compaction/fold-and-publish.ts',
    edits: [
      [
        'ports.catalog.publish(stack, version, snapshot)',
        'ports.catalog.publish(stack, (await ports.catalog.getStack(stack))?.version ?? 0, snapshot)',
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/compaction')],
  },
  {
    name: 'a fold contains the time of its run instead of that of its records',
    breaks: 'I6: the fold does not depend on its time',
    file: 'shared/runtime/compaction/fold-and-publish.ts',
    edits: [['now: timestampOf(view.foldAtMs)', 'now: new Date().toISOString()']],
    caughtBy: [testsOf('test/lifecycle/compaction')],
  },
  {
    name: 'an item of the inbox is matched by its URN alone',
    breaks: 'start: an inbox item is matched by deployment, operation and attempt',
    file: 'shared/journal/late-outcomes.ts',
    edits: [
      [
        'find(operation =>\n    isOperationOf(operation, outcome),\n  )',
        'find(({ resource }) => resource.urn === outcome.urn)',
      ],
    ],
    caughtBy: [testsOf('shared/journal/late-outcomes')],
  },
  {
    name: 'an object without a pending create is adopted because its URN is free',
    breaks: 'inbox: an object without a pending create is never adopted automatically',
    file: 'shared/journal/late-outcomes.ts',
    edits: [
      [
        'const isResolved = pendingOperation !== undefined && isUrnFree',
        'const isResolved = isUrnFree',
      ],
    ],
    caughtBy: [testsOf('shared/journal/late-outcomes')],
  },
  {
    name: 'an object of the state is taken from the inbox again',
    breaks: 'start: an item whose URN and id are already in the base is dropped',
    file: 'shared/journal/late-outcomes.ts',
    edits: [
      [
        "resource.urn === urn && resource['id'] === id)) return state",
        "resource.urn === id && resource['id'] === id)) return state",
      ],
    ],
    caughtBy: [testsOf('shared/journal/late-outcomes')],
  },
  {
    name: 'the inbox is taken twice',
    breaks: 'start: the items of the pin are removed afterwards',
    file: 'functions/step-generator/start-deployment.ts',
    edits: [['if (inbox.length > 0) await ports', 'if (inbox.length < 0) await ports']],
    caughtBy: [testsOf('test/lifecycle/late')],
  },
  {
    name: 'a pin does not name the inbox items that it took',
    breaks: 'start: one pin record names the base version and the inbox items',
    file: 'functions/step-generator/start-deployment.ts',
    edits: [['      inbox,\n      ...(request.key', '      inbox: [],\n      ...(request.key']],
    caughtBy: [testsOf('test/lifecycle/late', 'resumed')],
  },
  {
    name: 'secrets are stored in plaintext',
    breaks: 'I8: no plaintext',
    file: 'shared/engine/deployment/state/state-sealing.ts',
    edits: [
      [
        'plaintext => ({ ciphertext: encrypt(plaintext) })',
        'plaintext => (encrypt(plaintext) === plaintext ? { ciphertext: plaintext } : { plaintext })',
      ],
    ],
    caughtBy: [selectFirstSeeds(150)],
  },
  {
    name: 'a digest is a plain hash',
    breaks: 'I8: comparisons of sealed things use a keyed HMAC',
    file: 'shared/secrets/symmetric-crypter.ts',
    edits: [["createHmac('sha256', subkey)", "createHmac('sha256', subkey.subarray(0, 0))"]],
    caughtBy: [testsOf('shared/secrets/secrets')],
  },
  {
    name: 'a blob that a record names is removed by the sweep',
    breaks: 'I9: blobs that records name are kept',
    file: 'shared/engine/deployment/retention/sweep-blobs.ts',
    edits: [
      [
        "if (referencedHashes.has(hash)) return isSetAside ? 'putBack' : 'none'",
        "if (referencedHashes.has(hash) && isSetAside) return 'putBack'",
      ],
    ],
    caughtBy: [testsOf('test/lifecycle/retention')],
  },
]
