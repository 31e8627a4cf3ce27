import { Stack } from 'aws-cdk-lib'
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import {
  bucketPrefixes,
  externalIdOf,
  keyPurpose,
  type QueueName,
} from '../shared/config/aws-resource-names.ts'
import { catalogPartitions, journalPartitions } from '../shared/config/table-partitions.ts'
import type { Stores } from './constructs/stores.ts'
import type { EncryptionKeys } from './constructs/encryption.ts'
import type { Queues } from './constructs/queues.ts'
import type { BucketPrefixName, Grants, TableUse } from './function-row.ts'
import { bucketArnOf, deploymentRolesOf, functionArnOf } from './names.ts'
import type { PartitionGrants } from './partition-grants.ts'
import type { Settings } from './settings.ts'

/** The resources to which grants apply. */
export interface GrantContext {
  readonly settings: Settings
  readonly keys: EncryptionKeys
  readonly stores: Stores
  readonly queues: Queues
}

/** Returns the statements for `grants`, except `schedules`, and for consuming `queue` if present. */
export function statementsOf(
  scope: Construct,
  grantContext: GrantContext,
  grants: Grants,
  queue?: QueueName,
): readonly PolicyStatement[] {
  return [
    ...tableStatementsOf(grantContext, grants),
    ...bucketStatementsOf(scope, grantContext, grants),
    ...keyStatementsOf(scope, grantContext, grants),
    ...queueStatementsOf(grantContext, grants, queue),
    ...secretStatementsOf(grantContext, grants),
    ...(grants.assumesDeploymentRoles === true
      ? [assumeRoleStatementOf(scope, grantContext.settings)]
      : []),
    ...callStatementsOf(scope, grantContext.settings, grants),
  ]
}

const allow = (
  actions: readonly string[],
  resources: readonly string[],
  conditions?: Readonly<Record<string, unknown>>,
): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.ALLOW,
    actions: [...actions],
    resources: [...resources],
    ...(conditions === undefined ? {} : { conditions }),
  })

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

function tableStatementsOf({ stores }: GrantContext, grants: Grants): PolicyStatement[] {
  const { journal, catalog, deniedPartitions: denied } = grants
  const [journalArn, catalogArn] = [stores.journal.tableArn, stores.catalog.tableArn]
  return [
    ...partitionStatementsOf(journalArn, journalPartitions, grants.journalPartitions),
    ...partitionStatementsOf(catalogArn, catalogPartitions, grants.catalogPartitions),
    ...(journal === undefined ? [] : [allow(tableActions[journal], [journalArn])]),
    ...(catalog === undefined ? [] : [allow(tableActions[catalog], [catalogArn])]),
    ...(denied === undefined
      ? []
      : [
          denyPartitions(readActions, catalogArn, denied.reads.map(toCatalogPattern)),
          denyPartitions(
            [...writeActions, ...removeActions],
            catalogArn,
            denied.writes.map(toCatalogPattern),
          ),
        ]),
  ]
}

const toCatalogPattern = (partition: keyof typeof catalogPartitions): string =>
  catalogPartitions[partition]

/**
 * Returns the statements for some partitions of a table. `patterns`: the pattern of the keys of
 * each group of partitions.
 */
function partitionStatementsOf<Partition extends string>(
  table: string,
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
      allow(actions, [table], selectPartitions(partitions.map(partition => patterns[partition]))),
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
  table: string,
  patterns: readonly string[],
): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.DENY,
    actions: [...actions],
    resources: [table],
    conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': patterns } },
  })

function bucketStatementsOf(
  scope: Construct,
  { settings }: GrantContext,
  grants: Grants,
): PolicyStatement[] {
  const bucket = bucketArnOf(Stack.of(scope), settings)
  const { reads = [], puts = [], creates = [], sweeps = [] } = grants
  const objectArnsOf = (prefixNames: readonly BucketPrefixName[]): readonly string[] =>
    prefixNames.map(prefixName => `${bucket}/${bucketPrefixes[prefixName]}*`)
  // Without the list permission, S3 returns the same error for missing and for forbidden objects.
  const listedPrefixes = [...new Set([...reads, ...sweeps])].map(
    prefixName => `${bucketPrefixes[prefixName]}*`,
  )
  return [
    ...(reads.length === 0 ? [] : [allow(['s3:GetObject'], objectArnsOf(reads))]),
    ...(puts.length === 0 ? [] : [allow(['s3:PutObject'], objectArnsOf(puts))]),
    ...(creates.length === 0 ? [] : [allow(['s3:PutObject'], objectArnsOf(creates), onlyIfAbsent)]),
    ...(sweeps.length === 0
      ? []
      : [
          allow(
            ['s3:DeleteObject', 's3:PutObjectTagging', 's3:GetObjectTagging'],
            objectArnsOf(sweeps),
          ),
        ]),
    ...(listedPrefixes.length === 0
      ? []
      : [
          allow(['s3:ListBucket'], [bucket], {
            StringLike: { 's3:prefix': listedPrefixes },
          }),
        ]),
  ]
}

/** A put without `If-None-Match` is refused. Source: S3's page on enforcing conditional writes. */
const onlyIfAbsent = { Null: { 's3:if-none-match': 'false' } }

/**
 * Returns the statement for the key at rest, for a role with access to a table or the bucket. The
 * role may use the key only through DynamoDB or S3.
 */
function keyStatementsOf(
  scope: Construct,
  { keys }: GrantContext,
  grants: Grants,
): PolicyStatement[] {
  const { region } = Stack.of(scope)
  const { journal, journalPartitions, catalog, catalogPartitions } = grants
  const usesTables = [journal, journalPartitions, catalog, catalogPartitions].some(
    use => use !== undefined,
  )
  const usesBucket = [grants.reads, grants.puts, grants.creates, grants.sweeps].some(
    use => use !== undefined,
  )
  const viaServices = [
    ...(usesTables ? [`dynamodb.${region}.amazonaws.com`] : []),
    ...(usesBucket ? [`s3.${region}.amazonaws.com`] : []),
  ]
  if (viaServices.length === 0 || keys.data === undefined) return []
  const actions = ['kms:Decrypt', 'kms:GenerateDataKey']
  return [allow(actions, [keys.data.keyArn], { StringEquals: { 'kms:ViaService': viaServices } })]
}

function queueStatementsOf(
  { queues }: GrantContext,
  { sends = [], redrives = [] }: Grants,
  queue?: QueueName,
): PolicyStatement[] {
  const deadLetterQueueArns = redrives.map(name => queues[name].deadLetterQueue.queueArn)
  // A redrive sends the bodies of dead letters again.
  const sentQueues = [...new Set([...sends, ...redrives])]
  return [
    ...(sentQueues.length === 0
      ? []
      : [
          allow(
            ['sqs:SendMessage'],
            sentQueues.map(name => queues[name].queue.queueArn),
          ),
        ]),
    ...(queue === undefined ? [] : [allow(receiveActions, [queues[queue].queue.queueArn])]),
    ...(deadLetterQueueArns.length === 0 ? [] : [allow(receiveActions, deadLetterQueueArns)]),
  ]
}

const receiveActions = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
]

/**
 * Returns the statements for secrets. Three kinds of secrets differ in their encryption context. A
 * trigger's secret has the purpose `trigger`. A data key of the secrets manager `service` has the
 * purpose `service`. Any other data key has the field of its stack, and no purpose. KMS decrypts a
 * text only with its exact context. So the permission for stacks decrypts only data keys whose
 * context names a stack. The function itself refuses the data key of another stack.
 */
function secretStatementsOf({ keys }: GrantContext, grants: Grants): PolicyStatement[] {
  const { triggerSecrets, stackSecrets, serviceKeys } = grants
  const [triggerCondition, serviceCondition] = [keyPurpose.trigger, keyPurpose.service].map(
    purpose => ({
      StringEquals: { [contextKeyOf(keyPurpose.purposeField)]: purpose },
    }),
  )
  const stackCondition = { Null: { [contextKeyOf(keyPurpose.stackField)]: 'false' } }
  const openActions = ['kms:Decrypt']
  const sealAndOpenActions = ['kms:Encrypt', 'kms:Decrypt']
  return [
    ...(triggerSecrets === 'seal'
      ? [allow(['kms:Encrypt'], [keys.secrets.keyArn], triggerCondition)]
      : []),
    ...(triggerSecrets === 'open'
      ? [allow(['kms:Decrypt'], [keys.secrets.keyArn], triggerCondition)]
      : []),
    ...(stackSecrets === undefined
      ? []
      : [
          allow(
            stackSecrets === 'replace' ? sealAndOpenActions : openActions,
            [keys.secrets.keyArn],
            stackCondition,
          ),
        ]),
    ...(serviceKeys === undefined
      ? []
      : [
          allow(
            serviceKeys === 'create' ? sealAndOpenActions : openActions,
            [keys.secrets.keyArn],
            serviceCondition,
          ),
        ]),
  ]
}

/** Returns the condition key of a field of the encryption context. */
const contextKeyOf = (name: string): string => `kms:EncryptionContext:${name}`

/** Returns the statement for calls of other functions. */
function callStatementsOf(
  scope: Construct,
  settings: Settings,
  { calls = [] }: Grants,
): PolicyStatement[] {
  const arns = calls.map(name => functionArnOf(Stack.of(scope), settings, name))
  return arns.length === 0 ? [] : [allow(['lambda:InvokeFunction'], arns)]
}

/**
 * Returns the statement for deployment credentials: it allows assuming the roles that owners of
 * stacks create. The statement limits only the form of the role's ARN and of the external id. The
 * owner of a role must require in its trust policy that the external id names the stack.
 */
function assumeRoleStatementOf(scope: Construct, settings: Settings): PolicyStatement {
  const roles = deploymentRolesOf(Stack.of(scope), settings)
  return allow(['sts:AssumeRole'], roles, {
    StringLike: { 'sts:ExternalId': externalIdOf(settings.installation, '*') },
  })
}
