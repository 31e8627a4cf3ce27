/** A local cloud whose start fails leaves no proxy behind. */
import { Server } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { openProcessAccess } from '../../infra/local-cloud/process-access.ts'

const listen: unknown = Reflect.get(Server.prototype, 'listen')
const processes = ['webhook', 'sweep']
const configurations = new Map(
  processes.map(role => [
    role,
    {
      role,
      statements: [],
      keyPolicy: { Version: '2012-10-17', Statement: [] },
      variables: {},
      allowsRecursion: false,
    },
  ]),
)
const options = {
  endpoints: { SQS: 'http://127.0.0.1:1' },
  localResources: {
    account: '000000000000',
    region: 'us-east-1',
    queueUrlOf: (name: string) => name,
    secretsKey: 'key',
  },
  lambdaUrl: 'http://127.0.0.1:2',
  webhookUrl: 'http://127.0.0.1:3',
  apiUrl: 'http://127.0.0.1:4',
  serviceUrl: 'http://127.0.0.1:4',
  reporter: { onDenial: () => undefined, onCloudFailure: () => undefined },
}

afterEach(() => vi.restoreAllMocks())

// The second process has the proxies 3 and 4. Each process has one for SQS and one for Lambda.
test.each([3, 4])('if proxy %i does not start, all proxies are closed', async failingNumber => {
  const servers: Server[] = []
  vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args) {
    servers.push(this)
    if (servers.length !== failingNumber) return Reflect.apply(listen as () => Server, this, args)
    queueMicrotask(() => this.emit('error', new Error('no port is free')))
    return this
  })
  await expect(openProcessAccess(configurations, options)).rejects.toThrow('no port is free')
  expect(servers).toHaveLength(4)
  expect(servers.filter(server => server.listening)).toEqual([])
})
