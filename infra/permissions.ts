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

/** The resources to which grants apply. */
export interface GrantContext {
  readonly settings: Settings
  readonly keys: EncryptionKeys
  readonly data: Data
  readonly queues: Queues
}

/** Returns the policy statements for `grants`, and for consuming `queue` if it is given. */
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

/** Without the permission to scan, because no code reads a whole table. */
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
  // Without the list permission, S3 returns the same error for missing and for forbidden objects.
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

/**
 * Allows the key at rest for a role with access to a table or the bucket, and only through these
 * services.
 */
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
          // A redrive sends messages with the permissions of its caller.
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
 * Returns the statements for secrets. Secrets of triggers are sealed with a context that names this
 * purpose. Secrets of stacks may come from other programs, in Pulumi's form without a context. They
 * are therefore all secrets without the purpose of triggers.
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

/** Allows a role that closes deployments to call compaction. */
function compactionStatementOf(scope: Construct, settings: Settings): PolicyStatement {
  return allow(['lambda:InvokeFunction'], [functionArnOf(Stack.of(scope), settings, 'compaction')])
}

/**
 * Returns the statement for deployment credentials: roles that the owner of a stack names, whose
 * trust policy requires the stack as external id. The statement limits only the format of both. The
 * role's owner ensures that the id is that of the stack.
 */
function deployStatementOf(scope: Construct, settings: Settings): PolicyStatement {
  const roles = deploymentRolesOf(Stack.of(scope), settings)
  return allow(['sts:AssumeRole'], roles, {
    StringLike: { 'sts:ExternalId': externalIdOf(settings.installation, '*') },
  })
}
