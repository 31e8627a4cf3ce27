import { EventEmitter } from 'node:events'
import type { Client } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import type { PluginMessage } from '../../plugins/plugin-message.ts'
import { connectProvider, type StartedProvider } from './connect-provider.ts'

/** Creates a client whose calls have this response, and no error. It records its streams. */
function createClient(response: object | undefined) {
  const openedStreams: string[] = []
  const client = {
    makeUnaryRequest(...parameters: readonly unknown[]) {
      const callback = parameters.at(-1) as (failure: null, value: unknown) => void
      queueMicrotask(() => callback(null, response))
    },
    makeServerStreamRequest(path: string) {
      openedStreams.push(path)
      return new EventEmitter()
    },
  }
  return { client: client as unknown as Client, openedStreams }
}

function createStartedProvider(client: Client) {
  const exit = Promise.withResolvers<string>()
  const stops: boolean[] = []
  const messages: PluginMessage[] = []
  const started: StartedProvider = {
    address: { target: '', protocol: 6, socketPath: undefined },
    client,
    pluginProcess: {
      name: 'odd',
      path: '/odd',
      exitDescription: exit.promise,
      readLastLines: async () => [],
      async stop({ isGraceful }) {
        stops.push(isGraceful)
        exit.resolve('ended')
      },
    },
    output: { addLine: () => undefined, listReportLines: () => [], redact: text => text },
    report: message => messages.push(message),
    traceCall: undefined,
    isSilent: () => false,
    isDeferralAllowed: false,
  }
  return { started, stops, messages, end: () => exit.resolve('ended with exit code 3') }
}

test('a first call that fails with another error than that of gRPC ends the process', async () => {
  const { started, stops, messages } = createStartedProvider(createClient(undefined).client)
  await expect(connectProvider(started)).rejects.toMatchObject({
    code: 'PLUGIN_FAILED',
    message: expect.stringContaining("plugin 'odd' (/odd) does not respond: no response"),
  })
  expect(stops).toEqual([false])
  expect(messages).toEqual([])
})

test('a stream of an ended process is not opened, because its address may have another owner', async () => {
  const { client, openedStreams } = createClient({})
  const { started, end } = createStartedProvider(client)
  const provider = await connectProvider(started)
  openedStreams.length = 0
  end()
  await expect.poll(provider.hasEnded).toBe(true)
  const request = { typeName: 't', config: { msgpack: new Uint8Array() } }
  const events = provider.client.listResource({
    ...request,
    includeResourceObject: false,
    limit: 0,
  })
  await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    message: expect.stringContaining("provider 'odd' ended with exit code 3 before ListResource"),
    isRequestUnsent: true,
  })
  expect(openedStreams).toEqual([])
})
