import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Server, ServerCredentials, type UntypedHandleCall } from '@grpc/grpc-js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ResourceProviderService as service } from '../../../proto/gen/pulumi/provider.ts'
import { createProcesses } from '../../platform/system/processes.ts'
import { createPluginHost } from './plugin-host.ts'

let folder: string
let server: Server
let port: number
let processes: ReturnType<typeof createProcesses>
/** Resolves when the version is requested. */
let versionRequest: PromiseWithResolvers<void>

/** Serves a provider that performs the handshake, and never responds to the next call. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plugin-host-'))
  processes = createProcesses()
  versionRequest = Promise.withResolvers()
  const getPluginInfo = (() => versionRequest.resolve()) as UntypedHandleCall
  const attach = ((_call: unknown, reply: (failure: null, response: object) => void) =>
    reply(null, {})) as UntypedHandleCall
  server = new Server()
  server.addService(service, { getPluginInfo, attach })
  port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (failure, boundPort) =>
      failure === null ? resolve(boundPort) : reject(failure),
    )
  })
  const file = join(folder, 'pulumi-resource-odd')
  writeFileSync(file, `#!/bin/sh\necho ${port}\nexec sleep 300\n`)
  chmodSync(file, 0o755)
})

afterEach(async () => {
  server.forceShutdown()
  await processes.close()
  rmSync(folder, { recursive: true, force: true })
})

function createHost(variables: Readonly<Record<string, string>> = {}) {
  const path = `${folder}:/usr/bin:/bin`
  return createPluginHost({
    processes,
    env: { PATH: path, ...variables },
    path,
    home: folder,
    programFolder: folder,
    project: 'p',
    runtimeOptions: {},
    engineAddress: () => '127.0.0.1:1',
    report: () => undefined,
  })
}

const plugin = { kind: 'resource', name: 'odd', version: '', downloadUrl: '' } as const
const cancellationError = {
  code: 'PLUGIN_FAILED',
  message: expect.stringContaining("the start of plugin 'odd'"),
}

test('the close of a host ends a plugin that is not connected yet', async () => {
  const host = createHost()
  const load = host.load(plugin, { pkg: 'odd', packageConfig: {} })
  load.catch(() => undefined)
  await versionRequest.promise
  expect(processes.listGroups()).toHaveLength(1)
  await host.close()
  expect(processes.listGroups()).toEqual([])
  await expect(load).rejects.toMatchObject(cancellationError)
})

test('the close of a host does not wait for a plugin of the user that does not respond', async () => {
  const host = createHost({ PULUMI_DEBUG_PROVIDERS: `odd:${port}` })
  const load = host.load(plugin, { pkg: 'odd', packageConfig: {} })
  load.catch(() => undefined)
  await versionRequest.promise
  await host.close()
  await expect(load).rejects.toMatchObject(cancellationError)
})

test('a plugin that would start after the close of its host is not started', async () => {
  const host = createHost()
  await host.close()
  const load = host.load(plugin, { pkg: 'odd', packageConfig: {} })
  await expect(load).rejects.toMatchObject(cancellationError)
  await expect.poll(processes.listGroups).toEqual([])
})
