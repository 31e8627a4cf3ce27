import { DescribeServicesCommand, type ECSClient, UpdateServiceCommand } from '@aws-sdk/client-ecs'
import { longPoolServices, type LongQueueName } from '../../config/aws-resource-names.ts'
import { createError } from '../../errors/error.ts'
import { withAwsErrors } from './aws-error.ts'

/** The numbers of tasks of a service of the long pool. */
export interface TaskCounts {
  /** The number that ECS maintains. */
  readonly desired: number
  /** The number that runs, including protected tasks beyond `desired`. */
  readonly running: number
}

/** The services of the long pool of one group of stacks. */
export interface LongPoolServices {
  /** Throws STORE_MISSING without the service, and the errors of `createAwsError`. */
  readonly readTasks: (queue: LongQueueName) => Promise<TaskCounts>
  /**
   * Sets the desired number of tasks. ECS stops surplus tasks, except for protected ones. Throws
   * the errors of `createAwsError`.
   */
  readonly setTasks: (queue: LongQueueName, desired: number) => Promise<void>
}

/** Creates the access to the services of a cluster, which are found by their queues. */
export function createLongPoolServices(
  ecs: Pick<ECSClient, 'send'>,
  cluster: string,
): LongPoolServices {
  return {
    readTasks: async queue => {
      const name = longPoolServices[queue]
      const command = new DescribeServicesCommand({ cluster, services: [name] })
      const { services = [] } = await withAwsErrors(`service ${name}: describe`, () =>
        ecs.send(command),
      )
      const [service] = services
      if (service === undefined)
        throw createError('STORE_MISSING', `the cluster ${cluster} has no service ${name}`)
      const { desiredCount = 0, runningCount = 0 } = service
      return { desired: desiredCount, running: runningCount }
    },
    setTasks: async (queue, desired) => {
      const service = longPoolServices[queue]
      const command = new UpdateServiceCommand({ cluster, service, desiredCount: desired })
      await withAwsErrors(`service ${service}: update`, () => ecs.send(command))
    },
  }
}
