import { findSetting } from './find-setting.ts'
import { endpointServices } from '../../shared/config/endpoint-services.ts'

/** The settings of an installation in a VPC, as its CDK app has accepted them. */
export interface DeployedNetwork {
  readonly vpc: string
  readonly subnets: readonly string[]
  readonly endpoints: readonly string[]
}

/** A subnet of the settings, as AWS describes it. */
export interface SubnetDescription {
  readonly id: string
  readonly vpc: string
  /** The kind of the target of the default route, or undefined without such a route. */
  readonly defaultRoute: 'internet-gateway' | 'other' | undefined
}

/**
 * Returns the reasons for which functions in these subnets would not reach AWS, one sentence each.
 * A function has no public address, so an internet gateway alone connects it to nothing.
 */
export function findNetworkFaults(
  { vpc, subnets: ids, endpoints }: DeployedNetwork,
  subnets: readonly SubnetDescription[],
): readonly string[] {
  const allEndpoints = [...endpointServices.gateway, ...endpointServices.interface]
  const missingEndpoints = allEndpoints.filter(name => !endpoints.includes(name))
  return ids.flatMap((id): readonly string[] => {
    const subnet = subnets.find(described => described.id === id)
    if (subnet === undefined) return [`the subnet ${id} does not exist in this region`]
    if (subnet.vpc !== vpc) return [`the subnet ${id} belongs to ${subnet.vpc}, not to ${vpc}`]
    if (subnet.defaultRoute === 'other' || missingEndpoints.length === 0) return []
    const route =
      subnet.defaultRoute === undefined
        ? 'has no default route'
        : 'has only an internet gateway, which functions cannot use'
    return [
      `the subnet ${id} ${route}, and there are no endpoints of ${missingEndpoints.join(', ')}`,
    ]
  })
}

/**
 * Returns the network of settings in the form `name=value`, or undefined without a VPC. The last
 * value of a setting applies.
 */
export function readDeployedNetwork(settings: readonly string[]): DeployedNetwork | undefined {
  const readSetting = (name: string): string => findSetting(settings, name) ?? ''
  const readList = (name: string): readonly string[] =>
    readSetting(name)
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== '')
  const vpc = readSetting('vpc')
  return vpc === ''
    ? undefined
    : { vpc, subnets: readList('subnets'), endpoints: readList('endpoints') }
}
