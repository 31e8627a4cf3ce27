import { type Mutation, testsOf } from './mutation.ts'

const contract = 'test/contract/embedded'
const table = 'shared/records/transitions.ts'

/** Mutations of the conditions that the store checks at its writes, and of its reads. */
export const storeMutations: readonly Mutation[] = [
  {
    name: 'an operation begins before its needs have arrived',
    breaks: 'I3: the store checks the needs in the write of the begin',
    file: table,
    edits: [
      [
        "requiredFacts: ['complete'], forbiddenFacts: ['ended', 'owned', 'called']",
        "requiredFacts: [], forbiddenFacts: ['ended', 'owned', 'called']",
      ],
    ],
    caughtBy: [testsOf(contract, 'operations:|model')],
  },
  {
    name: 'an operation begins without a check of its attempt number',
    breaks: 'begin: the head still has the attempt number that the executor read',
    file: table,
    edits: [
      [
        "'the attempt is current': { requiredFacts: ['the attempt is current'], forbiddenFacts: [] }",
        "'the attempt is current': { requiredFacts: [], forbiddenFacts: [] }",
      ],
    ],
    caughtBy: [testsOf(contract, 'operations:|model')],
  },
  {
    name: 'an operation with an owner is begun by another',
    breaks: 'begin: the operation has no owner, or the requester owns it already',
    file: table,
    edits: [
      ["const currentOwnerFacts = ['the requester is the owner', ", 'const currentOwnerFacts = ['],
    ],
    caughtBy: [testsOf(contract, 'operations:|model')],
  },
  {
    name: 'the repetition of a begin whose reply was lost is refused',
    breaks: 'every conditional write can be repeated safely',
    file: 'shared/platform/embedded/store/methods/head-statements.ts',
    edits: [['head.attempt = ?4 + 1', 'head.attempt = ?4 - 1']],
    caughtBy: [testsOf(contract, 'operations:|model')],
  },
  {
    name: 'a give-back erases an earlier attempt',
    breaks: 'give back: undoes only its own attempt',
    file: 'shared/platform/embedded/store/methods/head-statements.ts',
    edits: [['given_back = given_back + 1', 'given_back = attempt']],
    caughtBy: [testsOf(contract, 'operations')],
  },
  {
    name: 'a second end replaces the first',
    breaks: 'I2: at most one outcome is selected',
    file: table,
    edits: [
      [
        "begun: { requiredFacts: ['owned'], forbiddenFacts: ['ended'] }",
        "begun: { requiredFacts: ['owned'], forbiddenFacts: [] }",
      ],
    ],
    caughtBy: [testsOf(contract, 'operations:|model')],
  },
  {
    name: 'an end is selected by a process that does not own the operation',
    breaks: 'select: only by the current owner, for the current attempt',
    file: table,
    edits: [
      [
        "requiredFacts: ['the request names no owner', 'the attempt is current']",
        "requiredFacts: ['the attempt is current']",
      ],
    ],
    caughtBy: [testsOf(contract, 'operations:|model')],
  },
  {
    name: 'a store requires the facts that the table forbids',
    breaks: 'the conditions of a store are those of the table',
    file: 'shared/records/head-conditions.ts',
    edits: [['fact => `NOT ${clauseOf(fact)}`', 'clauseOf']],
    caughtBy: [testsOf('shared/records/head-conditions'), testsOf(contract, 'model')],
  },
  {
    name: 'an outcome overwrites another one',
    breaks: 'I2: outcomes are immutable',
    file: 'shared/platform/embedded/store/methods/operation-methods.ts',
    edits: [['ON CONFLICT DO NOTHING', 'ON CONFLICT DO UPDATE SET outcome = excluded.outcome']],
    caughtBy: [testsOf(contract, 'operations')],
  },
  {
    name: 'an arrival counts twice',
    breaks: 'arrivals are a set',
    file: 'shared/platform/embedded/store/methods/head-statements.ts',
    edits: [
      ["json_each(head.arrived) WHERE value = ?3)'", "json_each(head.arrived) WHERE value = -?3)'"],
    ],
    caughtBy: [testsOf(contract, 'operations')],
  },
  {
    name: 'a deposed generator overwrites the log',
    breaks: 'I5: put-if-absent at the next number',
    file: 'shared/platform/embedded/store/methods/log-methods.ts',
    edits: [['ON CONFLICT DO NOTHING', 'ON CONFLICT DO UPDATE SET record = excluded.record']],
    caughtBy: [testsOf(contract, 'decision log')],
  },
  {
    name: 'a record is appended after a gap',
    breaks: 'I5: put-if-absent at the next number',
    file: 'shared/platform/embedded/store/methods/log-methods.ts',
    edits: [['WHERE ?2 = 0 OR EXISTS', 'WHERE ?2 >= 0 OR EXISTS']],
    caughtBy: [testsOf(contract, 'decision log')],
  },
  {
    name: 'a repeated append looks like a takeover',
    breaks: 'every conditional write can be repeated safely',
    file: 'shared/platform/embedded/store/methods/log-methods.ts',
    edits: [
      [
        "return isSameAppend ? 'already-appended' : 'refused'",
        "return isSameAppend ? 'refused' : 'refused'",
      ],
    ],
    caughtBy: [testsOf(contract, 'decision log')],
  },
  {
    name: 'the stop flag is lowered',
    breaks: 'control: the stop flag is never lowered',
    file: 'shared/platform/embedded/store/methods/control-methods.ts',
    edits: [['WHERE deployment = ?1 AND stop < ?2', 'WHERE deployment = ?1']],
    caughtBy: [testsOf(contract, 'control')],
  },
  {
    name: 'a retired executor renews its lease',
    breaks: 'leases: after a missed renewal an executor returns only with a new identity',
    file: 'shared/platform/embedded/store/methods/control-methods.ts',
    edits: [
      ['AND executor = ? AND retired = 0`,\n        JSON', 'AND executor = ?`,\n        JSON'],
    ],
    caughtBy: [testsOf(contract, 'control|lease')],
  },
  {
    name: 'a snapshot is published over a newer one',
    breaks: 'close: compare-and-swap from the version of the base',
    file: 'shared/platform/embedded/store/methods/catalog-methods.ts',
    edits: [['if (version !== args.expected) return', 'if (version < 0) return']],
    caughtBy: [testsOf(contract, 'catalog')],
  },
  {
    name: 'a stack runs two deployments at the same time',
    breaks: 'I5: deployments of one stack are serialised',
    file: 'shared/platform/embedded/store/methods/catalog-methods.ts',
    edits: [
      [
        "      if (stack.current !== '') {\n        const isSameCall",
        '      if (stack.version < 0) {\n        const isSameCall',
      ],
    ],
    caughtBy: [testsOf(contract, 'catalog')],
  },
  {
    name: 'an old deployment releases a stack that a later one holds',
    breaks: 'close: release is conditional on being current',
    file: 'shared/platform/embedded/store/methods/catalog-methods.ts',
    edits: [
      [
        '!isOpenDeployment(record, args.deployment)) return false',
        'args.deployment === undefined) return false',
      ],
    ],
    caughtBy: [testsOf(contract, 'catalog')],
  },
  {
    name: 'records are removed during a deployment',
    breaks: 'I6: records are removed only after the deployment is closed',
    file: 'shared/platform/embedded/store/methods/retention-methods.ts',
    edits: [['if (closed === false || isOpen) return true', 'if (closed === null) return isOpen']],
    caughtBy: [testsOf(contract, 'retention|removal|goes|of a deployment')],
  },
  {
    name: 'the list of referenced blobs lacks one that a record names',
    breaks: 'I9: blobs that records name are kept',
    file: 'shared/platform/embedded/store/methods/retention-methods.ts',
    edits: [["AND name NOT IN ('event', 'schema')", "AND name NOT IN ('event', 'schema', 'log')"]],
    caughtBy: [testsOf(contract, 'every blob that a record')],
  },
  {
    name: 'a record of a newer version is read with the current rules',
    breaks: 'a record written by a newer version is refused by name and version',
    file: 'shared/platform/records/record-layouts.ts',
    edits: [['if (foundFormat <= format) return row', 'if (foundFormat > 0) return row']],
    caughtBy: [testsOf('test/contract/embedded-unreadable-records')],
  },
  {
    name: 'a request of several statements is applied partially',
    breaks: 'all effects of a request are applied, or none',
    file: 'shared/platform/embedded/store/methods/run-batch.ts',
    edits: [["database.run('ROLLBACK TO request')", 'database.isInTransaction()']],
    caughtBy: [testsOf('shared/platform/embedded/store/methods/run-batch')],
  },
  {
    name: 'a damaged blob is returned',
    breaks: 'I7: a blob matches its name',
    file: 'shared/platform/embedded/blobs.ts',
    edits: [
      [
        'if (contentHash === hash || nameOf(contentHash) === hash) return bytes',
        'if (bytes.length > 0) return bytes',
      ],
    ],
    caughtBy: [testsOf('shared/platform/embedded/blobs')],
  },
  {
    name: 'an archive has the same name for every stack',
    breaks: 'a token of one stack reaches no program of another',
    file: 'shared/records/archive-name.ts',
    edits: [['archive of ${stack}:', 'archive:']],
    caughtBy: [testsOf('functions/api/archives'), testsOf('test/integration/archived-program')],
  },
  {
    name: 'the API accepts an archive that was not uploaded for the stack',
    breaks: 'a token of one stack reaches no program of another',
    file: 'functions/api/require-archive.ts',
    edits: [['=== contentHash) return name', '!== name) return name']],
    caughtBy: [testsOf('functions/api/archives')],
  },
]
