import {
  AssociateRouteTableCommand,
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateRouteCommand,
  CreateRouteTableCommand,
  CreateSubnetCommand,
  CreateTransitGatewayCommand,
  CreateVpcCommand,
  EC2Client,
} from '@aws-sdk/client-ec2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeSubnets } from '../../cli/platform/describe-subnets.ts'
import { describeWithServices } from './describe-with-services.ts'

const anyAddress = '0.0.0.0/0'

// The emulator of KMS also emulates EC2.
describeWithServices('subnets of EC2', ['KMS'], settings => {
  let client: EC2Client
  let vpc = ''
  beforeAll(async () => {
    const { region, endpoints } = settings()
    client = new EC2Client({ region, endpoint: endpoints.KMS ?? '' })
    const { Vpc } = await client.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }))
    vpc = Vpc?.VpcId ?? ''
  })
  afterAll(() => client.destroy())

  async function createSubnet(block: number): Promise<string> {
    const command = new CreateSubnetCommand({ VpcId: vpc, CidrBlock: `10.0.${block}.0/24` })
    return (await client.send(command)).Subnet?.SubnetId ?? ''
  }

  /** Creates a route table with a default route, and uses it for a subnet. */
  async function addDefaultRoute(
    subnet: string,
    target: { readonly GatewayId?: string; readonly TransitGatewayId?: string },
  ): Promise<void> {
    const { RouteTable } = await client.send(new CreateRouteTableCommand({ VpcId: vpc }))
    const table = { RouteTableId: RouteTable?.RouteTableId ?? '' }
    const route = { ...table, DestinationCidrBlock: anyAddress, ...target }
    await client.send(new CreateRouteCommand(route))
    await client.send(new AssociateRouteTableCommand({ ...table, SubnetId: subnet }))
  }

  test('are described with the target of their default route', async () => {
    const [isolated, outside, routed] = [
      await createSubnet(1),
      await createSubnet(2),
      await createSubnet(3),
    ]
    const { InternetGateway } = await client.send(new CreateInternetGatewayCommand({}))
    const gateway = InternetGateway?.InternetGatewayId ?? ''
    await client.send(new AttachInternetGatewayCommand({ InternetGatewayId: gateway, VpcId: vpc }))
    await addDefaultRoute(outside, { GatewayId: gateway })
    const { TransitGateway } = await client.send(new CreateTransitGatewayCommand({}))
    await addDefaultRoute(routed, { TransitGatewayId: TransitGateway?.TransitGatewayId ?? '' })
    const described = await describeSubnets(client, [isolated, outside, routed, 'subnet-00000000'])
    expect(new Map(described.map(subnet => [subnet.id, subnet]))).toEqual(
      new Map([
        [isolated, { id: isolated, vpc, defaultRoute: undefined }],
        [outside, { id: outside, vpc, defaultRoute: 'internet-gateway' }],
        [routed, { id: routed, vpc, defaultRoute: 'other' }],
      ]),
    )
  })
})
