import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { S3Client } from '@aws-sdk/client-s3'
import { SchedulerClient } from '@aws-sdk/client-scheduler'
import { SQSClient } from '@aws-sdk/client-sqs'
import {
  GetCallerIdentityCommand,
  type GetCallerIdentityCommandOutput,
  STSClient,
  type STSClientConfig,
} from '@aws-sdk/client-sts'
import { error, hasCode, messageOf } from '../../shared/errors/error.ts'
import type { OutputStream } from '../session/io.ts'
import { runCdk } from './run-cdk.ts'
import { createInstallationToken } from './create-installation-token.ts'
import { inspectInstallation } from './inspect.ts'
import type { PlatformTools, InstallationTarget } from './platform-port.ts'

/** A user is waiting, so there are only two attempts, each with a timeout. */
const settings = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 5_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
}

/** Creates the real services. A named profile is taken from the environment. */
export function createPlatformTools(shown: OutputStream): PlatformTools {
  const config = ({ region, env }: InstallationTarget) => ({
    ...settings,
    region,
    ...(env['AWS_PROFILE'] === undefined ? {} : { profile: env['AWS_PROFILE'] }),
  })
  return {
    readAccount: async where => (await readCaller(config(where))).Account ?? '',
    runCdk: (where, args) => runCdk(where, args, shown),
    createToken: async (where, token) => {
      const { Arn: who = 'unknown' } = await readCaller(config(where))
      const client = new DynamoDBClient(config(where))
      try {
        return await createInstallationToken(client, where, { ...token, who })
      } catch (thrown) {
        throw toPlatformError(thrown, where)
      } finally {
        client.destroy()
      }
    },
    inspect: async (where, account) => {
      const clients = {
        tables: new DynamoDBClient(config(where)),
        queues: new SQSClient(config(where)),
        objects: new S3Client(config(where)),
        schedules: new SchedulerClient(config(where)),
      }
      try {
        return await inspectInstallation(clients, where, account)
      } finally {
        for (const client of Object.values(clients)) client.destroy()
      }
    },
  }
}

/** Returns the identity of the credentials. Throws PLATFORM_CREDENTIALS_MISSING. */
async function readCaller(config: STSClientConfig): Promise<GetCallerIdentityCommandOutput> {
  const client = new STSClient(config)
  try {
    return await client.send(new GetCallerIdentityCommand({}))
  } catch (thrown) {
    throw error(
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

/** Converts an error of a table to an error of the installation. */
function toPlatformError(thrown: unknown, { installation, region }: InstallationTarget): unknown {
  const message = messageOf(thrown)
  if (hasCode(thrown, 'STORE_MISSING'))
    return error(
      'PLATFORM_NOT_FOUND',
      `the installation '${installation}' does not exist in ${region}: ${message}`,
      { cause: thrown },
    )
  return hasCode(thrown, 'STORE_DENIED')
    ? error('PLATFORM_PERMISSION_MISSING', message, { cause: thrown })
    : thrown
}
