import { type Mutation, awsSeedsOf, testsOf } from './mutation.ts'

const at = 'shared/platform/aws/dynamo'
const caughtBy = [awsSeedsOf(40)]
const byContract = [testsOf('test/aws/dynamo-model')]

/** Promises of the ports, broken by the adapters for DynamoDB. */
export const adapterMutations: readonly Mutation[] = [
  {
    name: 'DynamoDB lets an operation begin whatever its attempt number is',
    breaks: 'begin: attempt still n as read',
    file: 'shared/platform/aws/dynamo/head-write-conditions.ts',
    edits: [["attempt === 0 ? 'attribute_not_exists(#attempt)' : '#attempt = :attempt'", 'always']],
    caughtBy,
  },
  {
    name: 'DynamoDB lets an operation begin without what it needs',
    breaks: 'I3: the store enforces needs in the write that is the begin',
    file: 'shared/platform/aws/dynamo/head-write-conditions.ts',
    edits: [["complete: needs === 0 ? always : 'size(#arrived) >= :needs'", 'complete: always']],
    caughtBy: byContract,
  },
  {
    name: 'attempts that may have called are not counted in DynamoDB',
    breaks: 'a give-back undoes only its own attempt',
    file: 'shared/platform/aws/dynamo/conditional-head-writes.ts',
    edits: [['ADD #attempt :one, #called :one', 'ADD #attempt :one']],
    caughtBy,
  },
  {
    name: 'a selection whose reply was lost is refused in DynamoDB when it is repeated',
    breaks: 'every conditional write can be repeated safely',
    file: 'shared/platform/aws/dynamo/conditional-head-writes.ts',
    edits: [
      [
        'head.owner === owner && head.end?.verdict === verdict && head.end.attempt === attempt',
        'false',
      ],
    ],
    caughtBy: byContract,
  },
  {
    name: 'a give-back whose reply was lost is refused in DynamoDB when it is repeated',
    breaks: 'every conditional write can be repeated safely',
    file: 'shared/platform/aws/dynamo/conditional-head-writes.ts',
    edits: [
      [
        "isOwnWrite: existing => readTexts(existing, 'freed').includes(mark)",
        'isOwnWrite: () => false',
      ],
    ],
    caughtBy: byContract,
  },
  {
    name: 'a deposed generator writes over a record of its successor in DynamoDB',
    breaks: 'I5: put-if-absent at the next number',
    file: `${at}/decision-log.ts`,
    edits: [['ifAbsent: true', 'ifAbsent: false']],
    caughtBy,
  },
  {
    name: 'DynamoDB publishes a snapshot over another',
    breaks: 'close: compare-and-swap from the version of the base',
    file: `${at}/publishing.ts`,
    edits: [["condition: andConditions(isLive, '#version = :expected')", 'condition: isLive']],
    caughtBy: byContract,
  },
  {
    name: 'a lease that was retired can be renewed in DynamoDB',
    breaks: 'leases: who is retired finds so at its next renewal',
    file: `${at}/leases.ts`,
    edits: [["const isLive = '#retired = :no'", "const isLive = '#retired <> :none'"]],
    caughtBy,
  },
  {
    name: 'keys that DynamoDB left unread are taken for absent',
    breaks: 'own repetition of what a batch leaves undone',
    file: 'shared/platform/aws/dynamo/table/batch-items.ts',
    edits: [['left = answer.UnprocessedKeys?.[table.name]?.Keys ?? []', 'left = []']],
    caughtBy,
  },
  {
    name: 'only the first page of a query is read',
    breaks: 'a read is whole, or says so',
    file: 'shared/platform/aws/dynamo/table/table.ts',
    edits: [['from = answer.LastEvaluatedKey', 'from = undefined']],
    caughtBy,
  },
  {
    name: 'a transaction that met another one is taken for done',
    breaks: 'own repetition of conflicts',
    file: 'shared/platform/aws/dynamo/table/transaction.ts',
    edits: [
      ["return { kind: 'again', why: thrown }", "return { kind: 'done', value: { isDone: true } }"],
    ],
    caughtBy,
  },
]
