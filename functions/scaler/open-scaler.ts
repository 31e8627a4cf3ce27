import { readAwsResources } from '../../shared/platform/aws/aws-resources.ts'
import {
  createEcsClient,
  createSqsClient,
  readAwsSettings,
} from '../../shared/platform/aws/clients.ts'
import { createLongPoolServices } from '../../shared/platform/aws/long-pool-services.ts'
import { withAwsErrors } from '../../shared/platform/aws/aws-error.ts'
import { readMessageCounts } from '../../shared/platform/aws/queues/queue-depths.ts'
import { openLogs } from '../aws/open-logs.ts'
import type { ScalerDeps } from './serve-scaling.ts'

/**
 * Opens the queues and services that the variables of the scaler name. Throws AWS_SETTINGS_INVALID.
 */
export function openScaler(env: Readonly<Record<string, string | undefined>>): ScalerDeps {
  const settings = readAwsSettings(env)
  const resources = readAwsResources(env)
  const sqs = createSqsClient(settings)
  const urls = {
    'chains-long': resources.get('chainsLongQueue'),
    'nudges-long': resources.get('nudgesLongQueue'),
  }
  return {
    services: createLongPoolServices(createEcsClient(settings), resources.get('installation')),
    countMessages: queue =>
      withAwsErrors(`queue ${queue}: count`, () => readMessageCounts(sqs, urls[queue])),
    tasksMax: Number(resources.get('longTasksMax')),
    logger: openLogs(env).logger,
  }
}
