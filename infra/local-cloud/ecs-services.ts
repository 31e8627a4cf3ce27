import {
  CreateClusterCommand,
  CreateServiceCommand,
  DeleteClusterCommand,
  DeleteServiceCommand,
  RegisterTaskDefinitionCommand,
} from '@aws-sdk/client-ecs'
import { longPoolServices } from '../../shared/config/aws-resource-names.ts'
import { type AwsSettings, createEcsClient } from '../../shared/platform/aws/clients.ts'

/**
 * Creates a cluster with the services of the long pool, without tasks. The emulator starts no
 * tasks: `startLongPoolTasks` reads the desired number and starts a process. Throws the SDK's
 * errors unchanged.
 */
export async function createEcsServices(
  settings: AwsSettings,
  cluster: string,
): Promise<{ readonly remove: () => Promise<void> }> {
  const client = createEcsClient(settings)
  const services = Object.values(longPoolServices)
  await client.send(new CreateClusterCommand({ clusterName: cluster }))
  for (const serviceName of services) {
    const containerDefinitions = [{ name: 'main', image: 'none', memory: 128 }]
    const taskDefinition = `${cluster}-${serviceName}`
    await client.send(
      new RegisterTaskDefinitionCommand({ family: taskDefinition, containerDefinitions }),
    )
    await client.send(
      new CreateServiceCommand({ cluster, serviceName, taskDefinition, desiredCount: 0 }),
    )
  }
  return {
    remove: async () => {
      for (const service of services)
        await client.send(new DeleteServiceCommand({ cluster, service, force: true }))
      await client.send(new DeleteClusterCommand({ cluster }))
      client.destroy()
    },
  }
}
