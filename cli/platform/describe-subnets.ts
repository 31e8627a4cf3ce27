import {
  DescribeRouteTablesCommand,
  DescribeSubnetsCommand,
  type EC2Client,
  type Route,
  type RouteTable,
} from '@aws-sdk/client-ec2'
import type { SubnetDescription } from './find-network-faults.ts'
import { sendOrUndefined } from './send-or-undefined.ts'

/** The destination of a default route: all IPv4 addresses. */
const anyAddress = '0.0.0.0/0'

/**
 * Describes subnets with their default routes. Leaves out subnets that do not exist. A subnet
 * without a route table of its own has the main one of its VPC. Throws PLATFORM_PERMISSION_MISSING,
 * PLATFORM_FAILED.
 */
export async function describeSubnets(
  client: Pick<EC2Client, 'send'>,
  ids: readonly string[],
): Promise<readonly SubnetDescription[]> {
  const subnetResponse = await sendOrUndefined(() =>
    client.send(new DescribeSubnetsCommand({ Filters: [{ Name: 'subnet-id', Values: [...ids] }] })),
  )
  const subnets = subnetResponse?.Subnets ?? []
  const vpcs = [...new Set(subnets.flatMap(({ VpcId }) => VpcId ?? []))]
  if (vpcs.length === 0) return []
  const routeTableResponse = await sendOrUndefined(() =>
    client.send(new DescribeRouteTablesCommand({ Filters: [{ Name: 'vpc-id', Values: vpcs }] })),
  )
  const tables = routeTableResponse?.RouteTables ?? []
  return subnets.map(({ SubnetId: id = '', VpcId: vpc = '' }) => ({
    id,
    vpc,
    defaultRoute: findDefaultRoute(findRouteTable(tables, id, vpc)),
  }))
}

function findRouteTable(
  tables: readonly RouteTable[],
  subnet: string,
  vpc: string,
): RouteTable | undefined {
  const ownTable = tables.find(({ Associations = [] }) =>
    Associations.some(({ SubnetId }) => SubnetId === subnet),
  )
  const mainTable = tables.find(
    ({ VpcId, Associations = [] }) =>
      VpcId === vpc && Associations.some(({ Main }) => Main === true),
  )
  return ownTable ?? mainTable
}

function findDefaultRoute(table: RouteTable | undefined): SubnetDescription['defaultRoute'] {
  const isDefault = (route: Route): boolean =>
    route.DestinationCidrBlock === anyAddress && route.State !== 'blackhole'
  const route = table?.Routes?.find(isDefault)
  if (route === undefined) return undefined
  return route.GatewayId?.startsWith('igw-') === true ? 'internet-gateway' : 'other'
}
