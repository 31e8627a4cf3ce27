import { type Mutation, selectFirstAwsSeeds, testsOf } from './mutation.ts'

const dynamoFolder = 'shared/platform/aws/dynamo'
const caughtBy = [selectFirstAwsSeeds(40)]
/** The contracts of the record ports, over a model of DynamoDB. */
const caughtByContract = [testsOf('test/aws/dynamo-model')]

/** Port guarantees that are broken in the DynamoDB adapters. */
export const adapterMutations: readonly Mutation[] = [
  {
    name: 'DynamoDB lets an operation begin with any attempt number',
    breaks: 'begin: the head still has the attempt number that the executor read',
    file: 'shared/platform/aws/dynamo/head-write-conditions.ts',
    edits: [
      ["attempt === 0 ? 'attribute_not_exists(#attempt)' : '#attempt = :attempt'", 'alwaysTrue'],
    ],
    caughtBy,
  },
  {
    name: 'DynamoDB lets an operation begin before its needs have arrived',
    breaks: 'I3: the store checks the needs in the write of the begin',
    file: 'shared/platform/aws/dynamo/head-write-conditions.ts',
    edits: [
      ["complete: needs === 0 ? alwaysTrue : 'size(#arrived) >= :needs'", 'complete: alwaysTrue'],
    ],
    caughtBy: caughtByContract,
  },
  {
    name: 'DynamoDB does not count attempts that may have called the provider',
    breaks: 'a give-back undoes only its own attempt',
    file: 'shared/platform/aws/dynamo/begin-operation.ts',
    edits: [['ADD #attempt :one, #called :one', 'ADD #attempt :one']],
    caughtBy,
  },
  {
    name: 'DynamoDB refuses the repetition of a selection whose reply was lost',
    breaks: 'every conditional write can be repeated safely',
    file: 'shared/platform/aws/dynamo/operation-heads.ts',
    edits: [
      [
        'head.owner === owner && head.end?.verdict === verdict && head.end.attempt === attempt',
        'false',
      ],
    ],
    caughtBy: caughtByContract,
  },
  {
    name: 'DynamoDB refuses the repetition of a give-back whose reply was lost',
    breaks: 'every conditional write can be repeated safely',
    file: 'shared/platform/aws/dynamo/operation-heads.ts',
    edits: [
      [
        "isOwnWrite: existing => readTexts(existing, 'freed').includes(releaseKey)",
        'isOwnWrite: () => false',
      ],
    ],
    caughtBy: caughtByContract,
  },
  {
    name: 'a deposed generator overwrites a record of its successor in DynamoDB',
    breaks: 'I5: put-if-absent at the next number',
    file: `${dynamoFolder}/decision-log.ts`,
    edits: [['ifAbsent: true', 'ifAbsent: false']],
    caughtBy,
  },
  {
    name: 'DynamoDB publishes a snapshot over a newer one',
    breaks: 'close: compare-and-swap from the version of the base',
    file: `${dynamoFolder}/stack-transitions.ts`,
    edits: [
      [
        "const versionCondition = joinConditions(existingStackCondition, '#version = :expected')",
        'const versionCondition = existingStackCondition',
      ],
    ],
    caughtBy: caughtByContract,
  },
  {
    name: 'a rename writes under an id that another rename has taken in DynamoDB',
    breaks: 'renames: each write under an unused id requires the token of its process',
    file: `${dynamoFolder}/unused-id-writes.ts`,
    edits: [['#removed = :yes AND #token = :token', '#token = :token OR #removed <> :yes']],
    caughtBy: [testsOf('test/aws/dynamo-rename-races')],
  },
  {
    name: 'a retired lease can be renewed in DynamoDB',
    breaks: 'leases: a retired executor notices this at its next renewal',
    file: `${dynamoFolder}/leases.ts`,
    edits: [
      [
        "const unretiredCondition = '#retired = :no'",
        "const unretiredCondition = '#retired <> :none'",
      ],
    ],
    caughtBy,
  },
  {
    name: 'keys that DynamoDB did not read count as absent',
    breaks: 'the adapter retries the unprocessed part of a batch',
    file: 'shared/platform/aws/dynamo/table/batch-items.ts',
    edits: [
      ['remainingKeys = response.UnprocessedKeys?.[table.name]?.Keys ?? []', 'remainingKeys = []'],
    ],
    caughtBy,
  },
  {
    name: 'only the first page of a query is read',
    breaks: 'a read is complete, or reports that it is not',
    file: 'shared/platform/aws/dynamo/table/table.ts',
    edits: [['startKey = response.LastEvaluatedKey', 'startKey = undefined']],
    caughtBy,
  },
  {
    name: 'a transaction that conflicted with another counts as done',
    breaks: 'the adapter retries conflicts',
    file: 'shared/platform/aws/dynamo/table/transaction.ts',
    edits: [
      [
        "return { kind: 'again', reason: thrown }",
        "return { kind: 'done', value: { isDone: true } }",
      ],
    ],
    caughtBy,
  },
]
