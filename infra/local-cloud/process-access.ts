import { awsVariables } from '../../shared/config/aws-resource-names.ts'
import type { AwsService, AwsSettings } from '../../shared/platform/aws/clients.ts'
import { endpointVariableOf } from '../emulators/start-emulators.ts'
import {
  type Denial,
  type IsRevoked,
  type PermissionProxies,
  type PermissionUse,
  startPermissionProxies,
} from './permissions/permission-proxy.ts'
import type {
  LocalResources,
  ProcessConfiguration,
  ProcessConfigurations,
} from './process-configurations.ts'

/** The receiver of decisions about permissions, and of failures of the local cloud. */
export interface PermissionReporter {
  readonly onDenial: (denial: Denial) => void
  readonly onUse?: (use: PermissionUse) => void
  /** Receives the reason of a failure for which the local cloud itself is responsible. */
  readonly onCloudFailure: (reason: string) => void
}

/** The variables of functions and tasks, and the proxies to which they point. */
export interface ProcessAccess {
  /**
   * Returns the environment variables of a process: those that the template gives it, and the
   * addresses of its proxies. `name`: the full name of a function or the family of a task.
   */
  readonly variablesOf: (name: string) => Readonly<Record<string, string>>
  /**
   * Reports whether the template lets a function call itself without limit, also through other
   * services.
   */
  readonly allowsRecursion: (name: string) => boolean
  readonly close: () => Promise<void>
}

/** The addresses in the local cloud to which processes connect, and the receiver of reports. */
interface ProcessAccessOptions {
  readonly endpoints: AwsSettings['endpoints']
  readonly localResources: LocalResources
  readonly lambdaUrl: string
  /** The local address of webhooks, in place of the address on AWS that the template names. */
  readonly webhookUrl: string
  /** The local address of the API and its dashboard. */
  readonly apiUrl: string
  /** The local address that Pulumi's own command line uses. */
  readonly serviceUrl: string
  /** Reports whether a role's permission for an action is revoked. Absent: none is revoked. */
  readonly isRevoked?: IsRevoked | undefined
  readonly reporter: PermissionReporter
}

/**
 * Starts the proxies of every function and task. Each proxy checks the permissions of the role that
 * the template gives to its process. If one proxy does not start, all are closed.
 */
export async function openProcessAccess(
  configurations: ProcessConfigurations,
  options: ProcessAccessOptions,
): Promise<ProcessAccess> {
  const { endpoints, localResources, lambdaUrl, isRevoked, reporter } = options
  const upstreams = { ...endpoints, LAMBDA: lambdaUrl }
  const proxies: PermissionProxies[] = []
  const variables = new Map<string, Readonly<Record<string, string>>>()
  const close = async () => void (await Promise.all(proxies.map(proxy => proxy.close())))
  try {
    for (const [name, configuration] of configurations) {
      const processProxies = await startPermissionProxies({
        configuration,
        upstreams,
        location: localResources,
        ...(isRevoked === undefined ? {} : { isRevoked }),
        onDenial: reporter.onDenial,
        onUse: use => reporter.onUse?.(use),
        onFailure: reporter.onCloudFailure,
      })
      proxies.push(processProxies)
      const { urls } = processProxies
      variables.set(name, createVariables(configuration, urls, options))
    }
  } catch (thrown) {
    await close()
    throw thrown
  }
  return {
    variablesOf: name => variables.get(name) ?? {},
    allowsRecursion: name => configurations.get(name)?.allowsRecursion ?? false,
    close,
  }
}

/** Returns the environment variables of a process whose proxies have the addresses `urls`. */
function createVariables(
  { variables }: Pick<ProcessConfiguration, 'variables'>,
  urls: PermissionProxies['urls'],
  options: Pick<ProcessAccessOptions, 'endpoints' | 'webhookUrl' | 'apiUrl' | 'serviceUrl'>,
): Readonly<Record<string, string>> {
  const { endpoints, webhookUrl, apiUrl, serviceUrl } = options
  const localAddresses = new Map<string, string>([
    [awsVariables.webhookUrl, webhookUrl],
    [awsVariables.apiUrl, apiUrl],
    [awsVariables.serviceUrl, serviceUrl],
  ])
  const endpointVariables = Object.entries(urls).map(([service, url]) => [
    endpointVariableOf(service as AwsService),
    url,
  ])
  // Clients of SQS send requests to the host in the URL of the queue.
  const replaceHost = (value: string): string =>
    urls.SQS === undefined || endpoints.SQS === undefined
      ? value
      : value.replace(endpoints.SQS, urls.SQS)
  const templateVariables = Object.entries(variables).map(([key, value]) => [
    key,
    localAddresses.get(key) ?? replaceHost(value),
  ])
  return Object.fromEntries([...templateVariables, ...endpointVariables])
}
