import { PassThrough } from 'node:stream'
import { Client, type ClientReadableStream, credentials } from '@grpc/grpc-js'
import { HealthService } from '../../../../proto/gen/grpc/health/health.ts'
import {
  GRPCControllerService,
  GRPCStdioService,
  type StdioData,
  StdioData_Channel,
} from '../../../../proto/gen/terraform/go_plugin.ts'
import { pluginLimits as limits } from '../../../config/plugin-limits.ts'
import { messageOf } from '../../../errors/error.ts'
import { isServiceError } from '../../plugins/call-failures.ts'
import { type CalledMethod, callUnary, localChannelOptions } from '../../plugins/connection.ts'
import { readLines } from '../../plugins/plugin-output.ts'
import type { SelfSignedCertificate } from './self-signed-certificate.ts'

/** The host that all certificates name, for providers at any address. */
const hostName = 'localhost'

/**
 * Creates the channel to a provider. The size of messages has no limit, because schemas can be
 * large. With `tls`, each end accepts only the certificate of the other one.
 */
export function createProviderChannel(
  target: string,
  tls:
    | { readonly clientCertificate: SelfSignedCertificate; readonly serverCertificate: string }
    | undefined,
): Client {
  const channelCredentials =
    tls === undefined
      ? credentials.createInsecure()
      : credentials.createSsl(
          Buffer.from(tls.serverCertificate),
          Buffer.from(tls.clientCertificate.privateKey),
          Buffer.from(tls.clientCertificate.certificate),
        )
  return new Client(target, channelCredentials, {
    ...localChannelOptions,
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
    'grpc.default_authority': hostName,
    ...(tls === undefined ? {} : { 'grpc.ssl_target_name_override': hostName }),
  })
}

/**
 * Describes a failed connection. gRPC's text contains the reason that OpenSSL gave. The line ends
 * and the time in this text are removed.
 */
function describeConnectionFailure(details: string): string {
  const text = details
    .replaceAll(/\s+/g, ' ')
    .replace(/ \(\d{4}-[^)]*\)\. Resolution note: ?$/, '')
    .trim()
  const isMismatch = /certificate|SSL alert/.test(text)
  return isMismatch ? `the two ends use other TLS certificates than expected (${text})` : text
}

/**
 * Makes the first call of a channel. Returns the reason why the provider does not respond, or
 * undefined if it does. Any status of the provider is a response. Never throws.
 */
export async function probeChannel(client: Client): Promise<string | undefined> {
  const deadlineMs = Date.now() + limits.firstResponseTimeoutMs
  try {
    await callUnary(client, HealthService.check, { request: { service: 'plugin' }, deadlineMs })
    return undefined
  } catch (thrown) {
    if (!isServiceError(thrown)) return messageOf(thrown)
    // Only a status that the provider sent has metadata. gRPC in this process creates the others.
    if (Object.keys(thrown.metadata.getMap()).length > 0) return undefined
    return describeConnectionFailure(thrown.details)
  }
}

/** Starts a call with a stream of responses. Only `cancel` of the stream ends the call early. */
export function openStream<Req, Res>(
  client: Client,
  { path, requestSerialize, responseDeserialize }: CalledMethod<Req, Res>,
  request: Req,
): ClientReadableStream<Res> {
  const stream = client.makeServerStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    request,
  )
  // After a cancellation gRPC emits an error. Without a listener it would end this process.
  stream.on('error', () => undefined)
  return stream
}

/**
 * Reads the output that the provider writes after its start, until the channel is closed. `onLine`
 * must not block. It gets no lines from a provider that does not have the service for its output.
 */
export function readProviderOutput(
  client: Client,
  onLine: (line: string, stream: 'stdout' | 'stderr') => void,
): void {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() }
  for (const name of ['stdout', 'stderr'] as const) void forwardLines(streams[name], name, onLine)
  const output = openStream(client, GRPCStdioService.streamStdio, {})
  output.on('data', ({ channel, data }: StdioData) => {
    if (channel === StdioData_Channel.STDOUT) streams.stdout.write(data)
    if (channel === StdioData_Channel.STDERR) streams.stderr.write(data)
  })
  const end = (): void => {
    streams.stdout.end()
    streams.stderr.end()
  }
  output.on('end', end)
  output.on('error', end)
}

async function forwardLines(
  bytes: AsyncIterable<Uint8Array>,
  name: 'stdout' | 'stderr',
  onLine: (line: string, stream: 'stdout' | 'stderr') => void,
): Promise<void> {
  for await (const line of readLines(bytes, limits.lineCharsMax))
    if (line.trim() !== '') onLine(line, name)
}

/**
 * Ends a provider gracefully. The response may be lost, because the provider stops immediately.
 * Resolves after `providerShutdownMs` at the latest.
 */
export async function shutDownProvider(client: Client): Promise<void> {
  const deadlineMs = Date.now() + limits.providerShutdownMs
  try {
    await callUnary(client, GRPCControllerService.shutdown, { request: {}, deadlineMs })
  } catch {
    // A provider that does not respond is killed later.
  }
}
