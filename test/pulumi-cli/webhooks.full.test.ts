import { expect, test } from 'vitest'
import { startHttpReceiver } from '../../shared/triggers/outbound/local-receiver.fixture.ts'
import { bodySignatureOf } from '../../shared/triggers/webhooks/webhook-signature.ts'
import { requireSuccess, waitUntil } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { openStockClient } from './stock-client.ts'

const [version] = cliVersions
const secret = 'hmac key'
const serverEnv = {
  ANTICHAIN_OUTBOUND_NETWORKS: '127.0.0.1/32',
  ANTICHAIN_OUTBOUND_PLAIN: '1',
}

/** The parts of a delivery that a test reads, as the client prints it. */
interface Delivery {
  readonly id: string
  readonly payload: string
}

/** Returns a matcher for the payload of an update of this kind. */
const payloadOf = (kind: string): unknown => expect.stringContaining(`"kind":"${kind}"`)

describeWithCommands("webhooks of Pulumi's command line", [['go', 'version']], () => {
  test('a webhook gets updates of both command lines in the form of Pulumi', async () => {
    const receiver = await startHttpReceiver()
    const client = await openStockClient(buildPulumiCli(version), 'small', { serverEnv })
    const runPulumi = async (command: string): Promise<string> =>
      requireSuccess(await client.pulumi(command.split(' '))).out
    try {
      await runPulumi('stack init dev')
      const options = `--name ops --url ${receiver.origin}/in --yes --output json`
      const create = [...`stack webhook new ${options} --secret`.split(' '), secret]
      const created = requireSuccess(await client.pulumi(create)).out
      const { id: name } = JSON.parse(created) as { id: string }
      expect(created).not.toContain(secret)
      const ping = JSON.parse(await runPulumi(`stack webhook ping ${name} --output json`)) as object
      expect(ping).toMatchObject({ kind: 'ping', responseCode: 200 })
      await runPulumi('up --yes --skip-preview')
      const findUpdates = () =>
        receiver.received.filter(({ headers }) => headers['pulumi-webhook-kind'] === 'stack_update')
      const awaitUpdates = (count: number): Promise<void> =>
        waitUntil(() => findUpdates().length >= count, { condition: 'an update', limitMs: 60_000 })
      await awaitUpdates(1)
      requireSuccess(await client.antichain(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
      await awaitUpdates(2)
      const payloads = findUpdates().map(({ body }) => JSON.parse(body) as object)
      expect(payloads).toMatchObject([
        { stackName: 'dev', kind: 'update', result: 'succeeded', isPreview: false },
        { stackName: 'dev', kind: 'destroy', result: 'succeeded', isPreview: false },
      ])
      for (const { body, headers } of receiver.received)
        expect(headers['pulumi-webhook-signature']).toBe(bodySignatureOf(secret, body))
      const listDeliveries = async (): Promise<readonly Delivery[]> => {
        const printed = await runPulumi(`stack webhook delivery list ${name} --output json`)
        return (JSON.parse(printed) as { deliveries: readonly Delivery[] }).deliveries
      }
      const deliveries = await listDeliveries()
      expect(deliveries).toMatchObject([
        { kind: 'stack_update', responseCode: 200, payload: payloadOf('destroy') },
        { kind: 'stack_update', responseCode: 200, payload: payloadOf('update') },
        { kind: 'ping', responseCode: 200 },
      ])
      expect(JSON.stringify(deliveries)).not.toContain(secret)
      const redelivery = `stack webhook delivery redeliver ${name} ${deliveries[1]?.id ?? ''}`
      expect(await runPulumi(redelivery)).toMatch(/Response code: +200/)
      const repeated = receiver.received.filter(
        ({ headers }) => headers['pulumi-webhook-id'] === deliveries[1]?.id,
      )
      expect(repeated.map(({ body }) => body)).toEqual([
        deliveries[1]?.payload,
        deliveries[1]?.payload,
      ])
      expect((await listDeliveries()).map(({ id }) => id)).toEqual(
        [deliveries[1], deliveries[0], deliveries[2]].map(delivery => delivery?.id),
      )
      await runPulumi(`stack webhook edit ${name} --add-event update_failed --active=false`)
      expect(await runPulumi(`stack webhook get ${name}`)).toContain('update_failed')
      const listed = await client.antichain(['notification', 'ls', '-s', 'dev'])
      expect(requireSuccess(listed).out).toMatch(/update_failed to http.*, pulumi \(ops\)/)
      const cron = ['--cron', '0 */4 * * *']
      requireSuccess(await client.pulumi(['stack', 'schedule', 'new', '--kind', 'drift', ...cron]))
      await runPulumi('stack schedule new --kind ttl --once 2099-01-01T00:00:00Z')
      for (const command of [
        ...['webhook list', `webhook get ${name}`, `webhook delivery list ${name} --count 2`],
        ...['schedule list', 'drift status', 'drift list', 'policy list'],
      ]) {
        const args = ['stack', ...command.split(' '), '--output', 'json']
        const ours = requireSuccess(await client.antichain([...args, '-s', 'dev'])).out
        const theirs = JSON.parse(requireSuccess(await client.pulumi(args)).out) as unknown
        expect([command, JSON.parse(ours)]).toEqual([command, theirs])
      }
      const refused = await client.pulumi(
        `stack webhook new --name a --url ${receiver.origin} --hook-format slack --yes`.split(' '),
      )
      expect(refused.err).toContain("webhooks have no format 'slack'")
      await runPulumi(`stack webhook remove ${name} --yes`)
      expect(JSON.parse(await runPulumi('stack webhook list --output json'))).toMatchObject({
        count: 0,
      })
    } finally {
      await client.remove()
      receiver.close()
    }
  }, 300_000)

  test('a webhook of the organization is a notification of all stacks, and the reverse', async () => {
    const receiver = await startHttpReceiver()
    const client = await openStockClient(buildPulumiCli(version), 'small', { serverEnv })
    const runPulumi = async (command: string): Promise<string> =>
      requireSuccess(await client.pulumi(command.split(' '))).out
    try {
      const options = `--url ${receiver.origin} --event update_failed --yes --output json`
      const created = await runPulumi(`org webhook new --name all ${options}`)
      const { id } = JSON.parse(created) as { id: string }
      expect(await runPulumi(`org webhook ping ${id}`)).toMatch(/Response code: +200/)
      const create = ['notification', 'create', 'chat', '--all', '--url', receiver.origin]
      const formatted = [...create, '--format', 'pulumi', '--events', 'failed,drift']
      requireSuccess(await client.antichain(formatted, { env: serverEnv }))
      const listed = JSON.parse(await runPulumi('org webhook list --output json')) as {
        webhooks: { name: string }[]
      }
      expect(listed.webhooks.map(({ name }) => name).toSorted()).toEqual(['all', 'chat'])
      const delivered = await runPulumi(`org webhook delivery list ${id}`)
      expect(delivered).toMatch(/ ping .* 200 /)
      await runPulumi('stack init dev')
      client.sandbox.setFaults({ 'create:thing': 'always' })
      expect((await client.pulumi(['up', '--yes', '--skip-preview'])).exit).not.toBe(0)
      const isUpdate = ({ headers }: { headers: object }): boolean =>
        (headers as Record<string, unknown>)['pulumi-webhook-kind'] === 'stack_update'
      const countUpdates = (): number => receiver.received.filter(isUpdate).length
      await waitUntil(() => countUpdates() === 2, { condition: 'two deliveries', limitMs: 60_000 })
      await runPulumi(`org webhook remove ${id} --yes`)
    } finally {
      await client.remove()
      receiver.close()
    }
  }, 300_000)
})
