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
import type { LocalResources, ProcessConfigurations } from './process-configurations.ts'

/** The receiver of the decisions about permissions. */
export interface PermissionReporter {
  readonly onDenial: (denial: Denial) => void
  readonly onUse?: (use: PermissionUse) => void
  readonly onCloudFailure: (reason: string) => void
}

/** The variables of functions and tasks, and the proxies to which they point. */
export interface ProcessAccess {
  /**
   * Returns the variables of the template for a function's full name or a task's family, and the
   * addresses of its services.
   */
  readonly variablesOf: (name: string) => Readonly<Record<string, string>>
  /** Reports whether the template allows a function to be called by a chain of its own calls. */
  readonly allowsRecursion: (name: string) => boolean
  readonly close: () => Promise<void>
}

/**
 * Starts the proxies of every function and task. Each checks the permissions of the role that the
 * template gives to its process.
 */
export async function openProcessAccess(
  configurations: ProcessConfigurations,
  options: {
    readonly endpoints: AwsSettings['endpoints']
    readonly localResources: LocalResources
    readonly lambdaUrl: string
    /** The local address of webhooks. The template has the address of the HTTP API on AWS. */
    readonly webhookUrl: string
    readonly isRevoked?: IsRevoked | undefined
    readonly reporter: PermissionReporter
  },
): Promise<ProcessAccess> {
  const { endpoints, localResources, lambdaUrl, webhookUrl, isRevoked, reporter } = options
  const upstreams = { ...endpoints, LAMBDA: lambdaUrl }
  const proxies: PermissionProxies[] = []
  const variables = new Map<string, Readonly<Record<string, string>>>()
  for (const [name, configuration] of configurations) {
    const { urls, close } = await startPermissionProxies({
      configuration,
      upstreams,
      location: localResources,
      ...(isRevoked === undefined ? {} : { isRevoked }),
      onDenial: reporter.onDenial,
      onUse: use => reporter.onUse?.(use),
      onFailure: reporter.onCloudFailure,
    })
    proxies.push({ urls, close })
    const endpointVariables = Object.entries(urls).map(([service, url]) => [
      endpointVariableOf(service as AwsService),
      url,
    ])
    // Clients of SQS send requests to the host in the URL of the queue.
    const replaceHost = (value: string): string =>
      urls.SQS === undefined || endpoints.SQS === undefined
        ? value
        : value.replace(endpoints.SQS, urls.SQS)
    const templateVariables = Object.entries(configuration.variables).map(([key, value]) => [
      key,
      key === awsVariables.webhookUrl ? webhookUrl : replaceHost(value),
    ])
    variables.set(name, Object.fromEntries([...templateVariables, ...endpointVariables]))
  }
  return {
    variablesOf: name => variables.get(name) ?? {},
    allowsRecursion: name => configurations.get(name)?.allowsRecursion ?? false,
    close: async () => void (await Promise.all(proxies.map(proxy => proxy.close()))),
  }
}
