import { CloudWatchClient } from '@aws-sdk/client-cloudwatch'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { EC2Client } from '@aws-sdk/client-ec2'
import { ECSClient } from '@aws-sdk/client-ecs'
import { KMSClient } from '@aws-sdk/client-kms'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { S3Client } from '@aws-sdk/client-s3'
import { SchedulerClient } from '@aws-sdk/client-scheduler'
import { SQSClient } from '@aws-sdk/client-sqs'
import {
  GetCallerIdentityCommand,
  type GetCallerIdentityCommandOutput,
  STSClient,
  type STSClientConfig,
} from '@aws-sdk/client-sts'
import { createError, hasCode, messageOf } from '../../shared/errors/error.ts'
import type { OutputStream } from '../session/io.ts'
import { readAvailableConcurrency } from './available-concurrency.ts'
import { createAlarmPort } from './cloudwatch-alarm.ts'
import { countProtectedTasks } from './count-protected-tasks.ts'
import { describeSecretsKey, findSecretsKeyFault } from './describe-secrets-key.ts'
import { describeSubnets } from './describe-subnets.ts'
import { readContextSettings, runCdk } from './run-cdk.ts'
import { createInstallationToken } from './create-installation-token.ts'
import { inspectInstallation } from './inspect-installation.ts'
import type { PlatformTools, InstallationTarget } from './platform-port.ts'

/** The settings of all clients: two attempts with short timeouts, because a user is waiting. */
const clientSettings = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 5_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
}

/** Creates the tools that call AWS and the CDK. AWS_PROFILE of the target names the profile. */
export function createPlatformTools(cdkOutput: OutputStream): PlatformTools {
  const createClientConfig = ({ region, env }: InstallationTarget) => ({
    ...clientSettings,
    region,
    ...(env['AWS_PROFILE'] === undefined ? {} : { profile: env['AWS_PROFILE'] }),
  })
  return {
    readAccount: async target => (await readCaller(createClientConfig(target))).Account ?? '',
    runCdk: (target, args) => runCdk(target, args, cdkOutput),
    createToken: async (target, token) => {
      const { Arn: userName = 'unknown' } = await readCaller(createClientConfig(target))
      const client = new DynamoDBClient(createClientConfig(target))
      try {
        return await createInstallationToken(client, target, { ...token, userName })
      } catch (thrown) {
        throw toPlatformError(thrown, target)
      } finally {
        client.destroy()
      }
    },
    readAvailableConcurrency: target =>
      withClient(new LambdaClient(createClientConfig(target)), client =>
        readAvailableConcurrency(client, target.installation),
      ),
    describeSubnets: (target, ids) =>
      withClient(new EC2Client(createClientConfig(target)), client => describeSubnets(client, ids)),
    describeSecretsKey: target =>
      withClient(new KMSClient(createClientConfig(target)), client =>
        describeSecretsKey(client, target.installation),
      ),
    findSecretsKeyFault: (target, arn) =>
      withClient(new KMSClient(createClientConfig(target)), client =>
        findSecretsKeyFault(client, arn),
      ),
    readContextSettings,
    countProtectedTasks: (target, groupInstallation) =>
      withClient(new ECSClient(createClientConfig(target)), client =>
        countProtectedTasks(client, groupInstallation),
      ),
    useAlarm: (target, name, use) =>
      withClient(new CloudWatchClient(createClientConfig(target)), client =>
        use(createAlarmPort(client, name)),
      ),
    inspect: async (target, account) => {
      const clients = {
        tables: new DynamoDBClient(createClientConfig(target)),
        queues: new SQSClient(createClientConfig(target)),
        objects: new S3Client(createClientConfig(target)),
        schedules: new SchedulerClient(createClientConfig(target)),
      }
      try {
        return await inspectInstallation(clients, target, account)
      } finally {
        for (const client of Object.values(clients)) client.destroy()
      }
    },
  }
}

/** Uses a client for some requests, and closes its connections. */
async function withClient<Client extends { readonly destroy: () => void }, Result>(
  client: Client,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(client)
  } finally {
    client.destroy()
  }
}

/** Returns the identity of the credentials. Throws PLATFORM_CREDENTIALS_MISSING. */
async function readCaller(config: STSClientConfig): Promise<GetCallerIdentityCommandOutput> {
  const client = new STSClient(config)
  try {
    return await client.send(new GetCallerIdentityCommand({}))
  } catch (thrown) {
    throw createError(
      'PLATFORM_CREDENTIALS_MISSING',
      `AWS does not accept the credentials: ${messageOf(thrown)}`,
      {
        cause: thrown,
      },
    )
  } finally {
    client.destroy()
  }
}

/**
 * Converts STORE_MISSING and STORE_DENIED of a table to errors of the installation. Returns every
 * other error unchanged.
 */
function toPlatformError(thrown: unknown, { installation, region }: InstallationTarget): unknown {
  const message = messageOf(thrown)
  if (hasCode(thrown, 'STORE_MISSING'))
    return createError(
      'PLATFORM_NOT_FOUND',
      `the installation '${installation}' does not exist in ${region}: ${message}`,
      { cause: thrown },
    )
  return hasCode(thrown, 'STORE_DENIED')
    ? createError('PLATFORM_PERMISSION_MISSING', message, { cause: thrown })
    : thrown
}
