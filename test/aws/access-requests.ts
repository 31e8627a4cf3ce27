/** Requests to every resource of a group of stacks, with the credentials of a function. */
import { GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb'
import { DecryptCommand, EncryptCommand } from '@aws-sdk/client-kms'
import { InvokeCommand } from '@aws-sdk/client-lambda'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts'
import { functionsTable } from '../../infra/functions-table.ts'
import {
  type AwsVariable,
  awsVariables,
  bucketPrefixes,
  externalIdOf,
  keyPurpose,
} from '../../shared/config/aws-resource-names.ts'
import {
  createClientConfig,
  createKmsClient,
  createS3Client,
  createSqsClient,
  dynamoSettingsOf,
  readAwsSettings,
} from '../../shared/platform/aws/clients.ts'
import { createDynamoClient } from '../../shared/platform/aws/dynamo/table/dynamo-client.ts'
import { createLambdaClient } from '../../shared/platform/aws/lambda-client.ts'

type Variables = Readonly<Record<string, string>>

/** A request with a name that contains its action and its resource. */
export type AccessRequest = readonly [name: string, send: () => Promise<unknown>]

const queueVariables = [
  ...(['chainsQueue', 'chainsLongQueue', 'chainsDeadQueue', 'chainsLongDeadQueue'] as const),
  ...(['nudgesQueue', 'nudgesLongQueue', 'notificationsQueue', 'notificationsDeadQueue'] as const),
]

/**
 * Returns requests to the resources of a group. `credentials`: the variables of the function whose
 * credentials are used. `target`: the variables that name the resources.
 */
export function listAccessRequests(
  credentials: Variables,
  target: Variables,
  { stack, installation }: { readonly stack: string; readonly installation: string },
): readonly AccessRequest[] {
  const settings = readAwsSettings(credentials)
  const valueOf = (variable: AwsVariable): string => target[awsVariables[variable]] ?? ''
  const dynamo = createDynamoClient(dynamoSettingsOf(settings))
  const [s3, sqs] = [createS3Client(settings), createSqsClient(settings)]
  const kms = createKmsClient(settings, settings)
  const lambda = createLambdaClient(settings, 5_000)
  const sts = new STSClient(createClientConfig(settings, 'STS'))
  const keys = { pk: { S: `stack ${stack}` }, sk: { S: '0' } }
  const tables = (['journalTable', 'catalogTable'] as const).flatMap(
    (variable): AccessRequest[] => {
      const TableName = valueOf(variable)
      const query = {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: 'stacks' } },
      }
      return [
        [`read ${TableName}`, () => dynamo.send(new GetItemCommand({ TableName, Key: keys }))],
        [`query ${TableName}`, () => dynamo.send(new QueryCommand({ TableName, ...query }))],
        [`write ${TableName}`, () => dynamo.send(new PutItemCommand({ TableName, Item: keys }))],
      ]
    },
  )
  const Bucket = valueOf('bucket')
  const objects = Object.values(bucketPrefixes).flatMap((prefix): AccessRequest[] => {
    const Key = `${prefix}${'0'.repeat(64)}`
    return [
      [`get ${Bucket}/${prefix}`, () => s3.send(new GetObjectCommand({ Bucket, Key }))],
      [
        `put ${Bucket}/${prefix}`,
        () => s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x', IfNoneMatch: '*' })),
      ],
      [
        `list ${Bucket}/${prefix}`,
        () => s3.send(new ListObjectsV2Command({ Bucket, Prefix: prefix })),
      ],
    ]
  })
  const messages = queueVariables.flatMap((variable): AccessRequest[] => {
    // A client of SQS sends its request to the host in the URL of the queue. So this URL has the
    // endpoint of the settings.
    const path = new URL(valueOf(variable)).pathname
    const QueueUrl = `${settings.endpoints.SQS ?? ''}${path}`
    return [
      [
        `send to ${variable}`,
        () => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{"v":1}' })),
      ],
      [`receive from ${variable}`, () => sqs.send(new ReceiveMessageCommand({ QueueUrl }))],
    ]
  })
  const KeyId = valueOf('secretsKey')
  const contexts = {
    stack: { [keyPurpose.stackField]: stack },
    trigger: { [keyPurpose.purposeField]: keyPurpose.trigger },
    service: { [keyPurpose.purposeField]: keyPurpose.service },
  }
  const secrets = Object.entries(contexts).flatMap(
    ([purpose, EncryptionContext]): AccessRequest[] => [
      [
        `encrypt for ${purpose}`,
        () =>
          kms.send(
            new EncryptCommand({ KeyId, EncryptionContext, Plaintext: Buffer.from('secret') }),
          ),
      ],
      [
        `decrypt for ${purpose}`,
        () =>
          kms.send(
            new DecryptCommand({ KeyId, EncryptionContext, CiphertextBlob: Buffer.from('secret') }),
          ),
      ],
    ],
  )
  const calls = functionsTable
    .filter(({ isPerGroup }) => isPerGroup === true)
    .map(({ name }): AccessRequest => {
      const FunctionName = `${installation}-${name}`
      const Payload = Buffer.from('{"kind":"tidy"}')
      return [`call ${name}`, () => lambda.send(new InvokeCommand({ FunctionName, Payload }))]
    })
  const ExternalId = externalIdOf(installation, stack)
  const RoleArn = `arn:aws:iam::123456789012:role/${installation}-deploy-shop`
  const role = { RoleArn, ExternalId, RoleSessionName: 'attempt' }
  return [
    ...[...tables, ...objects, ...messages, ...secrets, ...calls],
    ['assume a role', () => sts.send(new AssumeRoleCommand(role))],
  ]
}
