import { Stack } from 'aws-cdk-lib'
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import {
  bucketPrefixes,
  deadLetterQueueOf,
  externalIdOf,
  type QueueName,
  queueNames,
} from '../shared/config/aws-resource-names.ts'
import { catalogPartitions, journalPartitions } from '../shared/config/table-partitions.ts'
import { allowActions, type GrantContext, otherArnPatternsOf } from './grant-context.ts'
import { secretStatementsOf } from './secret-permissions.ts'
import { callStatementsOf, scalingStatementsOf } from './call-permissions.ts'
import { type BucketPrefixName, type Grants, type TableUse, usedTablesOf } from './function-row.ts'
import { bucketArnOf, deploymentRolesOf } from './names.ts'
import type { PartitionGrants } from './partition-grants.ts'
import type { Settings } from './settings.ts'

/** Returns the statements for `grants` except `schedules`, and for consuming `queue` if present. */
export function statementsOf(
  scope: Construct,
  grantContext: GrantContext,
  grants: Grants,
  queue?: QueueName,
): readonly PolicyStatement[] {
  return [
    ...tableStatementsOf(scope, grantContext, grants),
    ...bucketStatementsOf(scope, grantContext, grants),
    ...keyStatementsOf(scope, grantContext, grants),
    ...queueStatementsOf(scope, grantContext, { grants, queue }),
    ...secretStatementsOf(grantContext, grants),
    ...(grants.assumesDeploymentRoles === true
      ? [assumeRoleStatementOf(scope, grantContext.settings)]
      : []),
    ...callStatementsOf(scope, grantContext, grants),
    ...(grants.scalesLongPool === true ? scalingStatementsOf(scope, grantContext) : []),
  ]
}

/**
 * The actions for reading. The permission to scan is missing, because no code reads a whole table.
 */
const readActions = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']
const writeActions = ['dynamodb:PutItem', 'dynamodb:UpdateItem']
/** A batch can remove items without the permission of `DeleteItem`. */
const removeActions = ['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem']
const tableActions: Readonly<Record<TableUse, readonly string[]>> = {
  read: readActions,
  write: [...readActions, ...writeActions],
  remove: [...readActions, ...writeActions, ...removeActions],
}

function tableStatementsOf(
  scope: Construct,
  grantContext: GrantContext,
  grants: Grants,
): PolicyStatement[] {
  const { journalTable, catalogTable, deniedPartitions: denied } = grants
  const { stores } = grantContext
  const otherTablesOf = (table: 'journalTable' | 'catalogTable'): readonly string[] =>
    otherArnPatternsOf(scope, grantContext, names => ({ service: 'dynamodb', name: names[table] }))
  const journalArns = [stores.journalTable.tableArn, ...otherTablesOf('journalTable')]
  const catalogArns = [stores.catalogTable.tableArn, ...otherTablesOf('catalogTable')]
  return [
    ...partitionStatementsOf(journalArns, journalPartitions, grants.journalPartitions),
    ...partitionStatementsOf(catalogArns, catalogPartitions, grants.catalogPartitions),
    ...(journalTable === undefined ? [] : [allowActions(tableActions[journalTable], journalArns)]),
    ...(catalogTable === undefined ? [] : [allowActions(tableActions[catalogTable], catalogArns)]),
    ...(denied === undefined
      ? []
      : [
          denyPartitions(readActions, catalogArns, denied.reads.map(toCatalogPattern)),
          denyPartitions(
            [...writeActions, ...removeActions],
            catalogArns,
            denied.writes.map(toCatalogPattern),
          ),
        ]),
  ]
}

const toCatalogPattern = (partition: keyof typeof catalogPartitions): string =>
  catalogPartitions[partition]

/**
 * Returns the statements for some partitions of tables. `patterns`: the pattern of the keys of each
 * kind of partitions.
 */
function partitionStatementsOf<Partition extends string>(
  tables: readonly string[],
  patterns: Readonly<Record<Partition, string>>,
  grants: PartitionGrants<Partition> | undefined,
): PolicyStatement[] {
  if (grants === undefined) return []
  const { reads, writes, removes = [] } = grants
  const uses = [
    [readActions, reads],
    [writeActions, writes],
    [removeActions, removes],
  ] as const
  return uses
    .filter(([, partitions]) => partitions.length > 0)
    .map(([actions, partitions]) =>
      allowActions(
        actions,
        tables,
        selectPartitions(partitions.map(partition => patterns[partition])),
      ),
    )
}

/** The condition of requests whose partition keys all match. A request without keys is refused. */
const selectPartitions = (patterns: readonly string[]): Readonly<Record<string, unknown>> => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
  Null: { 'dynamodb:LeadingKeys': 'false' },
})

/** Denies requests with one or more matching partition keys. A denial overrides permissions. */
const denyPartitions = (
  actions: readonly string[],
  tables: readonly string[],
  patterns: readonly string[],
): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.DENY,
    actions: [...actions],
    resources: [...tables],
    conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': patterns } },
  })

function bucketStatementsOf(
  scope: Construct,
  grantContext: GrantContext,
  grants: Grants,
): PolicyStatement[] {
  const { settings, otherGroups, installationSettings } = grantContext
  // The names of the buckets of groups begin with the name of the common bucket.
  const commonBucket = bucketArnOf(Stack.of(scope), installationSettings)
  const buckets = [
    bucketArnOf(Stack.of(scope), settings),
    ...(otherGroups.length === 0 ? [] : [`${commonBucket}-*`]),
  ]
  const { reads = [], puts = [], creates = [], sweeps = [] } = grants
  const objectArnsOf = (prefixNames: readonly BucketPrefixName[]): readonly string[] =>
    buckets.flatMap(bucket =>
      prefixNames.map(prefixName => `${bucket}/${bucketPrefixes[prefixName]}*`),
    )
  // Without the list permission, S3 returns the same error for missing and for forbidden objects.
  const listedPrefixes = [...new Set([...reads, ...sweeps])].map(
    prefixName => `${bucketPrefixes[prefixName]}*`,
  )
  return [
    ...(reads.length === 0 ? [] : [allowActions(['s3:GetObject'], objectArnsOf(reads))]),
    ...(puts.length === 0 ? [] : [allowActions(['s3:PutObject'], objectArnsOf(puts))]),
    ...(creates.length === 0
      ? []
      : [allowActions(['s3:PutObject'], objectArnsOf(creates), onlyIfAbsent)]),
    ...(sweeps.length === 0
      ? []
      : [
          allowActions(
            ['s3:DeleteObject', 's3:PutObjectTagging', 's3:GetObjectTagging'],
            objectArnsOf(sweeps),
          ),
        ]),
    ...(listedPrefixes.length === 0
      ? []
      : [
          allowActions(['s3:ListBucket'], buckets, {
            StringLike: { 's3:prefix': listedPrefixes },
          }),
        ]),
  ]
}

/** A put without `If-None-Match` is refused. Source: S3's page on enforcing conditional writes. */
const onlyIfAbsent = { Null: { 's3:if-none-match': 'false' } }

/**
 * Returns the statement for the key that encrypts data at rest, for a role with access to a table
 * or the bucket. The role may use the key only through DynamoDB or S3.
 */
function keyStatementsOf(
  scope: Construct,
  { keys }: GrantContext,
  grants: Grants,
): PolicyStatement[] {
  const { region } = Stack.of(scope)
  const usesTables = usedTablesOf(grants).length > 0
  const usesBucket = [grants.reads, grants.puts, grants.creates, grants.sweeps].some(
    use => use !== undefined,
  )
  const viaServices = [
    ...(usesTables ? [`dynamodb.${region}.amazonaws.com`] : []),
    ...(usesBucket ? [`s3.${region}.amazonaws.com`] : []),
  ]
  if (viaServices.length === 0 || keys.data === undefined) return []
  const actions = ['kms:Decrypt', 'kms:GenerateDataKey']
  return [
    allowActions(actions, [keys.data.keyArn], { StringEquals: { 'kms:ViaService': viaServices } }),
  ]
}

function queueStatementsOf(
  scope: Construct,
  grantContext: GrantContext,
  { grants, queue }: { readonly grants: Grants; readonly queue: QueueName | undefined },
): PolicyStatement[] {
  const {
    sends = [],
    readsDepthsOfSends = false,
    countsDeadLetters = false,
    redrives = [],
  } = grants
  const { queues } = grantContext
  const otherArnsOf = (
    names: readonly QueueName[],
    arnNameOf = (queueName: string): string => queueName,
  ): readonly string[] =>
    names.flatMap(queueName =>
      otherArnPatternsOf(scope, grantContext, ({ queues: namesByQueue }) => ({
        service: 'sqs',
        name: arnNameOf(namesByQueue[queueName]),
      })),
    )
  const queueArnsOf = (names: readonly QueueName[]): readonly string[] => [
    ...names.map(name => queues[name].queue.queueArn),
    ...otherArnsOf(names),
  ]
  const deadLetterQueueArns = [
    ...redrives.map(name => queues[name].deadLetterQueue.queueArn),
    ...otherArnsOf(redrives, deadLetterQueueOf),
  ]
  // A redrive sends the bodies of dead letters again.
  const sentQueues = [...new Set([...sends, ...redrives])]
  return [
    ...(sentQueues.length === 0
      ? []
      : [
          allowActions(
            ['sqs:SendMessage', ...(readsDepthsOfSends ? ['sqs:GetQueueAttributes'] : [])],
            queueArnsOf(sentQueues),
          ),
        ]),
    ...(countsDeadLetters
      ? [
          allowActions(
            ['sqs:GetQueueAttributes'],
            queueNames.map(name => queues[name].deadLetterQueue.queueArn),
          ),
        ]
      : []),
    ...(queue === undefined ? [] : [allowActions(receiveActions, queueArnsOf([queue]))]),
    ...(deadLetterQueueArns.length === 0
      ? []
      : [allowActions(receiveActions, deadLetterQueueArns)]),
  ]
}

const receiveActions = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
]

/**
 * Returns the statement for deployment credentials: it allows assuming the roles that owners of
 * stacks create. The statement limits only the form of the role's ARN and of the external id. The
 * owner of a role must require in its trust policy that the external id names the stack.
 */
function assumeRoleStatementOf(scope: Construct, settings: Settings): PolicyStatement {
  const roles = deploymentRolesOf(Stack.of(scope), settings)
  return allowActions(['sts:AssumeRole'], roles, {
    StringLike: { 'sts:ExternalId': externalIdOf(settings.installation, '*') },
  })
}
