import type { AwsService } from '../../../shared/platform/aws/clients.ts'
import { dynamodbPermissionsOf } from './dynamodb-permissions.ts'
import type { AccountLocation, RequiredPermission, ServiceRequest } from './required-permission.ts'
import { s3PermissionsOf } from './s3-permissions.ts'

/** Returns the permissions that a request needs. Throws for a malformed body. */
export type PermissionReader = (
  request: ServiceRequest,
  location: AccountLocation,
) => readonly RequiredPermission[]

/**
 * For each service: the function that returns the permissions of its requests. Those of S3 and
 * Lambda do not depend on the body.
 */
export const permissionReaders: Readonly<Record<AwsService, PermissionReader>> = {
  DYNAMODB: dynamodbPermissionsOf,
  ECS: ecsPermissionsOf,
  KMS: kmsPermissionsOf,
  LAMBDA: lambdaPermissionsOf,
  S3: s3PermissionsOf,
  SCHEDULER: schedulerPermissionsOf,
  SQS: sqsPermissionsOf,
  STS: stsPermissionsOf,
}

const operationOf = ({ headers }: ServiceRequest): string =>
  (headers['x-amz-target'] ?? '').split('.').at(-1) ?? ''

/** Returns the permission of a KMS request. Source: KMS's page on condition keys. */
function kmsPermissionsOf(
  request: ServiceRequest,
  { account, region }: AccountLocation,
): readonly RequiredPermission[] {
  const body = JSON.parse(request.body) as {
    readonly KeyId?: string
    readonly CiphertextBlob?: string
    readonly EncryptionContext?: Readonly<Record<string, string>>
  }
  const keyId = body.KeyId ?? keyIdOfCiphertext(body.CiphertextBlob ?? '')
  const pairs = Object.entries(body.EncryptionContext ?? {})
  const context = Object.fromEntries(
    pairs.map(([name, value]) => [`kms:EncryptionContext:${name}`, value]),
  )
  const contextKeys = pairs.map(([name]) => name)
  return [
    {
      action: `kms:${operationOf(request)}`,
      resource: keyId.startsWith('arn:') ? keyId : `arn:aws:kms:${region}:${account}:key/${keyId}`,
      context:
        contextKeys.length === 0 ? {} : { ...context, 'kms:EncryptionContextKeys': contextKeys },
    },
  ]
}

/** The length of the id of a key: a UUID. */
const keyIdBytes = 36

/** Returns the id of the key of a ciphertext. The emulator's ciphertexts begin with this id. */
function keyIdOfCiphertext(ciphertext: string): string {
  return Buffer.from(ciphertext, 'base64').subarray(0, keyIdBytes).toString('latin1')
}

/** Returns the permission of an SQS request. Source: SQS's reference of API permissions. */
function sqsPermissionsOf(
  request: ServiceRequest,
  { account, region }: AccountLocation,
): readonly RequiredPermission[] {
  const { QueueUrl = '' } = JSON.parse(request.body) as { readonly QueueUrl?: string }
  const resource = `arn:aws:sqs:${region}:${account}:${QueueUrl.split('/').at(-1) ?? ''}`
  const operation = operationOf(request).replace(/Batch$/, '')
  return [{ action: `sqs:${operation}`, resource, context: {} }]
}

/** Returns the permissions of an ECS request for services. Source: ECS's page on actions. */
function ecsPermissionsOf(
  request: ServiceRequest,
  { account, region }: AccountLocation,
): readonly RequiredPermission[] {
  const body = JSON.parse(request.body) as {
    readonly cluster?: string
    readonly service?: string
    readonly services?: readonly string[]
  }
  const { cluster = 'default', service = '', services = [service] } = body
  return services.map(name => ({
    action: `ecs:${operationOf(request)}`,
    resource: `arn:aws:ecs:${region}:${account}:service/${cluster}/${name}`,
    context: {},
  }))
}

/**
 * Returns the permission of a Lambda request. Source: Lambda's page on actions, resources and
 * condition keys.
 */
function lambdaPermissionsOf(
  { target }: ServiceRequest,
  { account, region }: AccountLocation,
): readonly RequiredPermission[] {
  const name = decodeURIComponent(target.split('/')[3] ?? '')
  const resource = name.startsWith('arn:')
    ? name
    : `arn:aws:lambda:${region}:${account}:function:${name}`
  return [{ action: 'lambda:InvokeFunction', resource, context: {} }]
}

/**
 * Returns the permissions of a request to EventBridge Scheduler. Source: its pages on actions and
 * on execution roles.
 */
function schedulerPermissionsOf(
  { method, target, body }: ServiceRequest,
  { account, region }: AccountLocation,
): readonly RequiredPermission[] {
  const { pathname, searchParams } = new URL(target, 'http://scheduler')
  const name = decodeURIComponent(pathname.split('/')[2] ?? '')
  const arnPrefix = `arn:aws:scheduler:${region}:${account}`
  if (method === 'GET' && name === '')
    return [
      { action: 'scheduler:ListSchedules', resource: `${arnPrefix}:schedule/*/*`, context: {} },
    ]
  const scheduleBody = body === '' ? {} : (JSON.parse(body) as ScheduleRequestBody)
  const group = scheduleBody.GroupName ?? searchParams.get('groupName') ?? 'default'
  const actions: Readonly<Record<string, string>> = {
    DELETE: 'DeleteSchedule',
    GET: 'GetSchedule',
    POST: 'CreateSchedule',
    PUT: 'UpdateSchedule',
  }
  const role = scheduleBody.Target?.RoleArn
  return [
    {
      action: `scheduler:${actions[method] ?? method}`,
      resource: `${arnPrefix}:schedule/${group}/${name}`,
      context: {},
    },
    ...(role === undefined
      ? []
      : [
          {
            action: 'iam:PassRole',
            resource: role,
            context: { 'iam:PassedToService': 'scheduler.amazonaws.com' },
          },
        ]),
  ]
}

interface ScheduleRequestBody {
  readonly GroupName?: string
  readonly Target?: { readonly RoleArn?: string }
}

/** Returns the permission of an AssumeRole request. Source: the reference of AssumeRole. */
function stsPermissionsOf({ body }: ServiceRequest): readonly RequiredPermission[] {
  const parameters = new URLSearchParams(body)
  const externalId = parameters.get('ExternalId')
  return [
    {
      action: `sts:${parameters.get('Action') ?? ''}`,
      resource: parameters.get('RoleArn') ?? '*',
      context: externalId === null ? {} : { 'sts:ExternalId': externalId },
    },
  ]
}
