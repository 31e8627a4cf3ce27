/** A self-managed backend in an S3-compatible store that has no conditional writes. */
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { hasConditionalWrites } from '../../shared/backends/conditional-writes.ts'
import { createS3Client } from '../../shared/platform/aws/clients.ts'
import { parseObjectStoreUrl } from '../../shared/platform/objects/object-store-url.ts'
import { openObjectStore } from '../../shared/platform/objects/open-object-store.ts'
import { findLostObjects, parseExport, upArgs } from '../e2e/exported-state.ts'
import { createSandbox, requireSuccess, type Sandbox, waitUntil } from '../e2e/sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'
import { createTestBucket } from './test-resources.ts'
import { startUnconditionalStore, type UnconditionalStore } from './unconditional-proxy.ts'

const refusals = [
  { status: 501, name: 'NotImplemented' },
  { status: 400, name: 'InvalidArgument' },
] as const
const notice = 'has no conditional writes, so it gets no copy of the journal.'

describeWithServices('a backend without conditional writes', ['S3'], settings => {
  let proxy: UnconditionalStore | undefined
  let sandbox: Sandbox | undefined
  afterEach(() => {
    proxy?.close()
    sandbox?.remove()
    sandbox = undefined
  })

  const startProxy = async (refusal: (typeof refusals)[number]) => {
    proxy = await startUnconditionalStore(settings().endpoints.S3 ?? '', refusal)
    return proxy
  }
  const createAddress = async (endpoint: string): Promise<string> => {
    const client = createS3Client(settings())
    const bucket = await createTestBucket(client)
    client.destroy()
    return `s3://${bucket}/state?endpoint=${encodeURIComponent(endpoint)}&s3ForcePathStyle=true&region=us-east-1`
  }
  const openStore = async (address: string) =>
    openObjectStore(parseObjectStoreUrl(address, '/'), process.env)

  test('the response to a conditional write shows whether a store supports it', async () => {
    const conditional = await openStore(await createAddress(settings().endpoints.S3 ?? ''))
    await conditional.put('a', Buffer.from('x'))
    expect(await hasConditionalWrites(conditional, 'a')).toBe(true)
    for (const refusal of refusals) {
      const { endpoint } = await startProxy(refusal)
      const store = await openStore(await createAddress(endpoint))
      await store.put('a', Buffer.from('x'))
      expect(await hasConditionalWrites(store, 'a')).toBe(false)
      await expect(store.putIfAbsent('b', Buffer.from('x'))).rejects.toMatchObject({
        code: 'BACKEND_CONDITION_REFUSED',
      })
      proxy?.close()
    }
  })

  test('commands print one notice, and only the same machine continues a killed deployment', async () => {
    const { endpoint, countRefused } = await startProxy(refusals[0])
    const address = await createAddress(endpoint)
    const many = createSandbox('many')
    sandbox = many
    const otherMachine = { ANTICHAIN_HOME: join(many.home, '../other-home') }
    const run = (args: readonly string[], env = {}) => many.run(args, { env })
    requireSuccess(await run(['login', address]))
    requireSuccess(await run(['stack', 'init', 'dev']))
    const running = many.start([...upArgs, '-p', '8'], {})
    await waitUntil(() => many.listObjects().length >= 9, { condition: 'nine objects' })
    running.kill('SIGKILL', 'group')
    await running.done
    expect(countRefused()).toBe(1)
    const store = await openStore(address)
    expect(await store.list('.pulumi/antichain-journal/')).toEqual([])
    expect(await store.list('.pulumi/locks/')).toHaveLength(1)

    requireSuccess(await run(['login', address], otherMachine))
    const refused = await run([...upArgs], otherMachine)
    expect([refused.exit, refused.err]).toEqual([1, expect.stringContaining('BACKEND_LOCKED')])
    expect(refused.err).not.toContain('sign of life')

    const { err } = requireSuccess(await run([...upArgs, '-p', '8']))
    expect(err.split(notice)).toHaveLength(2)
    const exported = requireSuccess(await run(['stack', 'export', '-s', 'dev'], otherMachine))
    expect(findLostObjects(many, parseExport(exported.out))).toEqual([])
    requireSuccess(await run([...upArgs], otherMachine))
    expect(await store.list('.pulumi/locks/')).toEqual([])
  })
})
