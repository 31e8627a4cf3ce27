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
import type { OutputStream } from '../io.ts'
import { runCdk } from './cdk.ts'
import { firstToken } from './first-token.ts'
import { lookAt } from './look.ts'
import type { PlatformTools, Where } from './platform-port.ts'

/** A person waits: two tries, and each ends by itself. */
const settings = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 5_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
}

/** The outside as it is. The profile, where one is named, is that of the environment. */
export function createPlatformTools(shown: OutputStream): PlatformTools {
  const config = ({ region, env }: Where) => ({
    ...settings,
    region,
    ...(env['AWS_PROFILE'] === undefined ? {} : { profile: env['AWS_PROFILE'] }),
  })
  return {
    account: async where => (await callerOf(config(where))).Account ?? '',
    cdk: (where, words) => runCdk(where, words, shown),
    createToken: async (where, about) => {
      const { Arn: who = 'unknown' } = await callerOf(config(where))
      const client = new DynamoDBClient(config(where))
      try {
        return await firstToken(client, where, { ...about, who })
      } catch (thrown) {
        throw ofInstallation(thrown, where)
      } finally {
        client.destroy()
      }
    },
    look: async (where, account) => {
      const clients = {
        tables: new DynamoDBClient(config(where)),
        queues: new SQSClient(config(where)),
        objects: new S3Client(config(where)),
        schedules: new SchedulerClient(config(where)),
      }
      try {
        return await lookAt(clients, where, account)
      } finally {
        for (const client of Object.values(clients)) client.destroy()
      }
    },
  }
}

/** Who asks. Throws PLATFORM_CREDENTIALS_MISSING. */
async function callerOf(config: STSClientConfig): Promise<GetCallerIdentityCommandOutput> {
  const client = new STSClient(config)
  try {
    return await client.send(new GetCallerIdentityCommand({}))
  } catch (thrown) {
    throw error(
      'PLATFORM_CREDENTIALS_MISSING',
      `AWS does not know who asks: ${messageOf(thrown)}`,
      {
        cause: thrown,
      },
    )
  } finally {
    client.destroy()
  }
}

/** What a table says, as what it means for an installation. */
function ofInstallation(thrown: unknown, { installation, region }: Where): unknown {
  const told = messageOf(thrown)
  if (hasCode(thrown, 'STORE_MISSING'))
    return error(
      'PLATFORM_NOT_FOUND',
      `there is no installation '${installation}' in ${region}: ${told}`,
      { cause: thrown },
    )
  return hasCode(thrown, 'STORE_DENIED')
    ? error('PLATFORM_PERMISSION_MISSING', told, { cause: thrown })
    : thrown
}
