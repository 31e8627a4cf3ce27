import { Stack } from 'aws-cdk-lib'
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import {
  bucketPrefixes,
  externalIdOf,
  keyPurpose,
  type QueueName,
} from '../shared/config/aws-places.ts'
import type { Data } from './constructs/data.ts'
import type { Keys } from './constructs/encryption.ts'
import type { Queues } from './constructs/queues.ts'
import type { BucketPart, Grants, TableUse } from './functions-table.ts'
import { bucketArn, deploymentRoles, functionArn } from './names.ts'
import type { Settings } from './settings.ts'

/** What grants are about. */
export interface Granted {
  readonly settings: Settings
  readonly keys: Keys
  readonly data: Data
  readonly queues: Queues
}

/**
 * The statements of a role that may do what `grants` say, and take from `queue` if one is given.
 */
export function statementsOf(
  scope: Construct,
  granted: Granted,
  grants: Grants,
  queue?: QueueName,
): readonly PolicyStatement[] {
  return [
    ...tableStatements(granted, grants),
    ...bucketStatements(scope, granted, grants),
    ...restStatement(scope, granted, grants),
    ...queueStatements(granted, grants, queue),
    ...secretStatements(granted, grants),
    ...(grants.deploys === true ? [deployStatement(scope, granted.settings)] : []),
    ...(grants.callsCompaction === true ? [compactionStatement(scope, granted.settings)] : []),
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

/** No scan anywhere: nothing of ours reads a whole table. */
const reading = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']
const writing = ['dynamodb:ConditionCheckItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem']
const tableActions: Readonly<Record<TableUse, readonly string[]>> = {
  read: reading,
  write: [...reading, ...writing],
  batch: [...reading, ...writing, 'dynamodb:BatchWriteItem'],
  remove: [...reading, ...writing, 'dynamodb:BatchWriteItem', 'dynamodb:DeleteItem'],
}

function tableStatements({ data }: Granted, { journal, catalog }: Grants): PolicyStatement[] {
  return [
    ...(journal === undefined ? [] : [allow(tableActions[journal], [data.journal.tableArn])]),
    ...(catalog === undefined ? [] : [allow(tableActions[catalog], [data.catalog.tableArn])]),
  ]
}

function bucketStatements(
  scope: Construct,
  { settings }: Granted,
  grants: Grants,
): PolicyStatement[] {
  const bucket = bucketArn(Stack.of(scope), settings)
  const { reads = [], puts = [], creates = [], sweeps = [] } = grants
  const keys = (parts: readonly BucketPart[]): readonly string[] =>
    parts.map(each => `${bucket}/${bucketPrefixes[each]}*`)
  // Without the right to list, S3 answers for what is absent as for what is forbidden.
  const listed = [...new Set([...reads, ...sweeps])].map(each => `${bucketPrefixes[each]}*`)
  return [
    ...(reads.length === 0 ? [] : [allow(['s3:GetObject', 's3:GetObjectVersion'], keys(reads))]),
    ...(puts.length === 0 ? [] : [allow(['s3:PutObject', 's3:AbortMultipartUpload'], keys(puts))]),
    ...(creates.length === 0 ? [] : [allow(['s3:PutObject'], keys(creates), whereNothingStands)]),
    ...(sweeps.length === 0
      ? []
      : [allow(['s3:DeleteObject', 's3:PutObjectTagging', 's3:GetObjectTagging'], keys(sweeps))]),
    ...(listed.length === 0
      ? []
      : [
          allow(['s3:ListBucket'], [bucket], {
            StringLike: { 's3:prefix': listed },
          }),
        ]),
  ]
}

/** A put without `If-None-Match` is refused. Source: S3's page on enforcing conditional writes. */
const whereNothingStands = { Null: { 's3:if-none-match': 'false' } }

/** The key at rest works for whoever may use a table or the bucket, and only through these. */
function restStatement(scope: Construct, { keys }: Granted, grants: Grants): PolicyStatement[] {
  const { region } = Stack.of(scope)
  const usesTables = grants.journal !== undefined || grants.catalog !== undefined
  const usesBucket = [grants.reads, grants.puts, grants.creates, grants.sweeps].some(
    use => use !== undefined,
  )
  const through = [
    ...(usesTables ? [`dynamodb.${region}.amazonaws.com`] : []),
    ...(usesBucket ? [`s3.${region}.amazonaws.com`] : []),
  ]
  if (through.length === 0) return []
  const actions = ['kms:Decrypt', 'kms:GenerateDataKey']
  return [allow(actions, [keys.data.keyArn], { StringEquals: { 'kms:ViaService': through } })]
}

function queueStatements(
  { queues }: Granted,
  { sends = [], redrives = [] }: Grants,
  queue?: QueueName,
): PolicyStatement[] {
  const dead = redrives.map(name => queues[name].dead.queueArn)
  return [
    ...(sends.length === 0
      ? []
      : [
          allow(
            ['sqs:SendMessage'],
            sends.map(name => queues[name].queue.queueArn),
          ),
        ]),
    ...(queue === undefined ? [] : [allow(takeActions, [queues[queue].queue.queueArn])]),
    ...(dead.length === 0
      ? []
      : [
          allow([...takeActions, 'sqs:StartMessageMoveTask', 'sqs:ListMessageMoveTasks'], dead),
          // A move sends in the name of who asked for it.
          allow(
            ['sqs:SendMessage'],
            redrives.map(name => queues[name].queue.queueArn),
          ),
        ]),
  ]
}

const takeActions = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
]

/**
 * Secrets of triggers are sealed with a context that says so. Those of stacks may have been sealed
 * by others, in Pulumi's form without a context: they are whatever is not said to be a trigger's.
 */
function secretStatements({ keys }: Granted, grants: Grants): PolicyStatement[] {
  const field = `kms:EncryptionContext:${keyPurpose.field}`
  const { triggerSecrets, stackSecrets } = grants
  const own = { StringEquals: { [field]: keyPurpose.trigger } }
  const notOwn = { StringNotEquals: { [field]: keyPurpose.trigger } }
  const both = ['kms:Encrypt', 'kms:Decrypt', 'kms:GenerateDataKey']
  return [
    ...(triggerSecrets === 'seal' ? [allow(['kms:Encrypt'], [keys.secrets.keyArn], own)] : []),
    ...(triggerSecrets === 'open' ? [allow(['kms:Decrypt'], [keys.secrets.keyArn], own)] : []),
    ...(stackSecrets === 'open' ? [allow(both, [keys.secrets.keyArn], notOwn)] : []),
  ]
}

/** Whoever closes a deployment has it folded by the function whose work that is. */
function compactionStatement(scope: Construct, settings: Settings): PolicyStatement {
  return allow(['lambda:InvokeFunction'], [functionArn(Stack.of(scope), settings, 'compaction')])
}

/**
 * Deployment credentials: roles that the owner of a stack names and whose trust policy asks for the
 * stack as external id. Here only the form of both is bounded; that the id is the stack's own is
 * what the role's owner demands.
 */
function deployStatement(scope: Construct, settings: Settings): PolicyStatement {
  const roles = deploymentRoles(Stack.of(scope), settings)
  return allow(['sts:AssumeRole'], roles, {
    StringLike: { 'sts:ExternalId': externalIdOf(settings.installation, '*') },
  })
}
