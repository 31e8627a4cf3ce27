/** Webhooks that Pulumi's own command line manages in the local cloud. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outboundVariables } from '../../shared/config/outbound-variables.ts'
import { startHttpReceiver } from '../../shared/triggers/outbound/local-receiver.fixture.ts'
import { bodySignatureOf } from '../../shared/triggers/webhooks/webhook-signature.ts'
import { requireSuccess, waitUntil } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'
import { openServiceClient, type ServiceClient } from './service-client.ts'

const secret = 'hmac key'

describeWithServices('service of the local cloud', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
  let sandbox: CloudSandbox
  let service: ServiceClient
  beforeAll(async () => {
    bundles = await createBundles()
    receiver = await startHttpReceiver()
    sandbox = await createCloudSandbox('small', {
      aws: settings(),
      bundleOf: bundles.findBundle,
      variables: {
        [outboundVariables.allowedNetworks]: '127.0.0.1/32',
        [outboundVariables.plainHttp]: '1',
      },
    })
    service = await openServiceClient(sandbox, 'small')
    // The first use on a machine builds the command line of Pulumi.
  }, 900_000)
  afterAll(async () => {
    service?.remove()
    receiver?.close()
    await sandbox?.remove()
    bundles?.remove()
  }, 120_000)

  const runPulumi = async (...args: readonly string[]): Promise<string> =>
    requireSuccess(await service.pulumi(args)).out
  const findUpdates = () =>
    receiver.received.filter(({ headers }) => headers['pulumi-webhook-kind'] === 'stack_update')

  describeWithCommands('webhooks of the command line of Pulumi', [['go', 'version']], () => {
    test('with a secret are tested, report an update, and send a delivery again', async () => {
      await runPulumi('stack', 'init', 'dev')
      const options = ['--name', 'ops', '--url', `${receiver.origin}/in`, '--yes']
      const create = ['stack', 'webhook', 'new', ...options, '--output', 'json', '--secret', secret]
      const { id: hook } = JSON.parse(await runPulumi(...create)) as { readonly id: string }
      // Only the function for schedules may open the secret, so that function sends the delivery.
      const ping = await runPulumi('stack', 'webhook', 'ping', hook, '--output', 'json')
      expect(JSON.parse(ping)).toMatchObject({ kind: 'ping', responseCode: 200 })
      await runPulumi('up', '--yes', '--skip-preview')
      await waitUntil(() => findUpdates().length > 0, { condition: 'an update', limitMs: 60_000 })
      const list = ['stack', 'webhook', 'delivery', 'list', hook, '--output', 'json']
      const readDeliveries = async () =>
        (JSON.parse(await runPulumi(...list)) as { deliveries: { id: string; kind: string }[] })
          .deliveries
      let deliveries = await readDeliveries()
      // The history gets a delivery only after the receiver has responded.
      for (let count = 0; deliveries.length < 2 && count < 20; count += 1)
        deliveries = await readDeliveries()
      expect(deliveries.map(({ kind }) => kind)).toEqual(['stack_update', 'ping'])
      const [update] = deliveries
      const redeliver = ['stack', 'webhook', 'delivery', 'redeliver', hook, update?.id ?? '']
      expect(await runPulumi(...redeliver)).toMatch(/Response code: +200/)
      const [first, second] = findUpdates()
      expect(second?.body).toBe(first?.body)
      for (const { body, headers } of receiver.received)
        expect(headers['pulumi-webhook-signature']).toBe(bodySignatureOf(secret, body))
      await runPulumi('stack', 'webhook', 'remove', hook, '--yes')
      await runPulumi('destroy', '--yes', '--skip-preview')
      expect(sandbox.readLog()).not.toContain(secret)
    }, 300_000)
  })
})
