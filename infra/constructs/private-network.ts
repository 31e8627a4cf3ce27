import { Annotations, Fn, Stack } from 'aws-cdk-lib'
import {
  CfnVPCEndpoint,
  InterfaceVpcEndpoint,
  InterfaceVpcEndpointService,
  type ISecurityGroup,
  type ISubnet,
  type IVpc,
  Port,
  SecurityGroup,
  Subnet,
  Vpc,
} from 'aws-cdk-lib/aws-ec2'
import type { Construct } from 'constructs'
import { endpointServices } from '../../shared/config/endpoint-services.ts'
import { logicalNameOf } from '../names.ts'
import type { GatewayService, InterfaceService } from '../network-settings.ts'
import type { Settings } from '../settings.ts'
import { createTaggedScope } from './create-tagged-scope.ts'

/** The network in which functions and tasks run. */
export interface PrivateNetwork {
  readonly vpc: IVpc
  readonly subnets: readonly ISubnet[]
  readonly securityGroups: readonly ISecurityGroup[]
}

/**
 * Creates the security group and the endpoints of an installation in the VPC of its settings.
 * Returns undefined for an installation without a VPC. The owner of the VPC maintains its subnets
 * and routes.
 */
export function createPrivateNetwork(
  scope: Construct,
  settings: Settings,
): PrivateNetwork | undefined {
  if (settings.vpc === undefined) return undefined
  const part = createTaggedScope(scope, 'Network')
  const vpc = Vpc.fromVpcAttributes(part, 'Vpc', {
    vpcId: settings.vpc,
    // Only the subnets of the settings are used, so the zones of the VPC do not matter.
    availabilityZones: [Fn.select(0, Fn.getAzs())],
  })
  const network: PrivateNetwork = {
    vpc,
    subnets: settings.subnets.map(id => importSubnet(part, id)),
    securityGroups:
      settings.securityGroups.length > 0
        ? settings.securityGroups.map(id => SecurityGroup.fromSecurityGroupId(part, id, id))
        : [createOutboundGroup(part, settings, vpc)],
  }
  createGatewayEndpoints(part, settings, settings.vpc)
  createInterfaceEndpoints(part, settings, network)
  return network
}

function importSubnet(part: Construct, id: string): ISubnet {
  const subnet = Subnet.fromSubnetId(part, id, id)
  // The routes of a subnet belong to its owner, and no construct reads them.
  Annotations.of(subnet).acknowledgeWarning('@aws-cdk/aws-ec2:noSubnetRouteTableId')
  return subnet
}

function createOutboundGroup(part: Construct, settings: Settings, vpc: IVpc): SecurityGroup {
  return new SecurityGroup(part, 'Wall', {
    vpc,
    description: `${settings.installation}: allows outbound connections of functions and tasks only`,
    allowAllOutbound: true,
  })
}

function createGatewayEndpoints(part: Construct, settings: Settings, vpcId: string): void {
  for (const service of settings.endpoints.filter(isGatewayService))
    new CfnVPCEndpoint(part, `${logicalNameOf(service)}Endpoint`, {
      vpcId,
      vpcEndpointType: 'Gateway',
      serviceName: `com.amazonaws.${Stack.of(part).region}.${service}`,
      routeTableIds: [...settings.routeTables],
    })
}

function createInterfaceEndpoints(
  part: Construct,
  settings: Settings,
  { vpc, subnets, securityGroups }: PrivateNetwork,
): void {
  const services = settings.endpoints.filter(isInterfaceService)
  if (services.length === 0) return
  const endpointSecurityGroup = new SecurityGroup(part, 'EndpointWall', {
    vpc,
    description: `${settings.installation}: accepts functions and tasks of the installation only`,
    allowAllOutbound: false,
  })
  for (const client of securityGroups) endpointSecurityGroup.addIngressRule(client, Port.tcp(443))
  for (const service of services)
    new InterfaceVpcEndpoint(part, `${logicalNameOf(service.replace('.', '-'))}Endpoint`, {
      vpc,
      service: new InterfaceVpcEndpointService(
        `com.amazonaws.${Stack.of(part).region}.${service}`,
        443,
      ),
      privateDnsEnabled: true,
      subnets: { subnets: [...subnets] },
      securityGroups: [endpointSecurityGroup],
      open: false,
    })
}

const isGatewayService = (name: string): name is GatewayService =>
  (endpointServices.gateway as readonly string[]).includes(name)

const isInterfaceService = (name: string): name is InterfaceService =>
  (endpointServices.interface as readonly string[]).includes(name)
