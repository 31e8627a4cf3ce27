import { Stack } from 'aws-cdk-lib'
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import {
  bucketPrefixes,
  externalIdOf,
  keyPurpose,
  type QueueName,
} from '../shared/config/aws-resource-names.ts'
import type { Data } from './constructs/data.ts'
import type { EncryptionKeys } from './constructs/encryption.ts'
import type { Queues } from './constructs/queues.ts'
import type { BucketPart, Grants, TableUse } from './functions-table.ts'
import { bucketArnOf, deploymentRolesOf, functionArnOf } from './names.ts'
import type { Settings } from './settings.ts'

/** What grants are about. */
export interface GrantContext {
  readonly settings: Settings
  readonly keys: EncryptionKeys
  readonly data: Data
  readonly queues: Queues
}

/**
 * The statements of a role that may do what `grants` say, and take from `queue` if one is given.
 */
export function statementsOf(
  scope: Construct,
  granted: GrantContext,
  grants: Grants,
  queue?: QueueName,
): readonly PolicyStatement[] {
  return [
    ...tableStatementsOf(granted, grants),
    ...bucketStatementsOf(scope, granted, grants),
    ...keyStatement(scope, granted, grants),
    ...queueStatementsOf(granted, grants, queue),
    ...secretStatementsOf(granted, grants),
    ...(grants.deploys === true ? [deployStatementOf(scope, granted.settings)] : []),
    ...(grants.callsCompaction === true ? [compactionStatementOf(scope, granted.settings)] : []),
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

function tableStatementsOf(
  { data }: GrantContext,
  { journal, catalog }: Grants,
): PolicyStatement[] {
  return [
    ...(journal === undefined ? [] : [allow(tableActions[journal], [data.journal.tableArn])]),
    ...(catalog === undefined ? [] : [allow(tableActions[catalog], [data.catalog.tableArn])]),
  ]
}

function bucketStatementsOf(
  scope: Construct,
  { settings }: GrantContext,
  grants: Grants,
): PolicyStatement[] {
  const bucket = bucketArnOf(Stack.of(scope), settings)
  const { reads = [], puts = [], creates = [], sweeps = [] } = grants
  const keys = (parts: readonly BucketPart[]): readonly string[] =>
    parts.map(each => `${bucket}/${bucketPrefixes[each]}*`)
  // Without the right to list, S3 answers for what is absent as for what is forbidden.
  const listed = [...new Set([...reads, ...sweeps])].map(each => `${bucketPrefixes[each]}*`)
  return [
    ...(reads.length === 0 ? [] : [allow(['s3:GetObject', 's3:GetObjectVersion'], keys(reads))]),
    ...(puts.length === 0 ? [] : [allow(['s3:PutObject', 's3:AbortMultipartUpload'], keys(puts))]),
    ...(creates.length === 0 ? [] : [allow(['s3:PutObject'], keys(creates), onlyIfAbsent)]),
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
const onlyIfAbsent = { Null: { 's3:if-none-match': 'false' } }

/** The key at rest works for whoever may use a table or the bucket, and only through these. */
function keyStatement(scope: Construct, { keys }: GrantContext, grants: Grants): PolicyStatement[] {
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

function queueStatementsOf(
  { queues }: GrantContext,
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
function secretStatementsOf({ keys }: GrantContext, grants: Grants): PolicyStatement[] {
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
function compactionStatementOf(scope: Construct, settings: Settings): PolicyStatement {
  return allow(['lambda:InvokeFunction'], [functionArnOf(Stack.of(scope), settings, 'compaction')])
}

/**
 * Deployment credentials: roles that the owner of a stack names and whose trust policy asks for the
 * stack as external id. Here only the form of both is bounded; that the id is the stack's own is
 * what the role's owner demands.
 */
function deployStatementOf(scope: Construct, settings: Settings): PolicyStatement {
  const roles = deploymentRolesOf(Stack.of(scope), settings)
  return allow(['sts:AssumeRole'], roles, {
    StringLike: { 'sts:ExternalId': externalIdOf(settings.installation, '*') },
  })
}
