import nodeCrypto from 'node:crypto'
import { isAbsolute } from 'node:path'
import type { FirstLineContent } from '../../plugins/await-first-line.ts'

/** The major versions of Terraform's provider protocol that the client speaks. */
export type ProtocolMajor = 5 | 6

/** The address of a provider, from its handshake or from TF_REATTACH_PROVIDERS. */
export interface ProviderAddress {
  readonly protocol: ProtocolMajor
  /** The address in gRPC's form: `unix:/tmp/plugin1` or `127.0.0.1:10000`. */
  readonly target: string
  /**
   * The socket file to remove after the process has ended. Undefined for a TCP port, and for a
   * provider that the user runs.
   */
  readonly socketPath: string | undefined
}

/** The first line of a provider on stdout. */
export interface Handshake extends ProviderAddress {
  /** The provider's certificate in the PEM format. Undefined without TLS. */
  readonly serverCertificate: string | undefined
}

/** A certificate field of at most this length contains no certificate, as in go-plugin. */
const absentCertificateCharsMax = 50

/**
 * Parses the handshake of go-plugin:
 * `CORE|PROTOCOL|NETWORK|ADDRESS|TRANSPORT|CERTIFICATE|MULTIPLEX`, where the last two can be
 * missing. With `expectsTls`, a provider without a certificate is refused. A refusal has the code
 * PLUGIN_HANDSHAKE.
 */
export function parseHandshake(
  line: string,
  { expectsTls }: { readonly expectsTls: boolean },
): FirstLineContent<Handshake> {
  const fields = line.trim().split('|')
  const [core = '', protocolText = '', network = '', address = '', transport, certificate] = fields
  if (fields.length < 4 || !/^\d+$/.test(core) || !/^\d+$/.test(protocolText))
    return refuse(`printed '${line.slice(0, 200)}' where its handshake was expected`)
  if (core !== '1') return refuse(`uses version ${core} of go-plugin's handshake, not version 1`)
  const protocol = parseProtocolMajor(protocolText)
  if (protocol === undefined)
    return refuse(`speaks protocol ${protocolText} of Terraform providers, not 5 or 6`)
  if (transport === undefined || transport === 'netrpc')
    return refuse('uses net/rpc, the transport of Terraform before 0.12, not gRPC')
  if (transport !== 'grpc') return refuse(`uses the transport '${transport}', not gRPC`)
  if (fields[6] === 'true') return refuse('multiplexes its connections, which is not supported')
  const target = toGrpcTarget(network, address)
  if (target === undefined)
    return refuse(`listens on '${network}' at '${address}', not on a Unix socket or a TCP port`)
  const serverCertificate = parseCertificate(certificate)
  if (serverCertificate === 'unreadable') return refuse('printed an unreadable certificate')
  if (expectsTls && serverCertificate === undefined)
    return refuse('does not encrypt its connection; TF_DISABLE_PLUGIN_TLS=1 permits that')
  const socketPath = network === 'unix' ? address : undefined
  return { kind: 'content', content: { protocol, target, socketPath, serverCertificate } }
}

/** Parses a protocol version. Returns undefined for a version that the client does not speak. */
export function parseProtocolMajor(text: string): ProtocolMajor | undefined {
  if (text === '5') return 5
  return text === '6' ? 6 : undefined
}

/** Returns an address in gRPC's form, or undefined if it names no Unix socket and no TCP port. */
export function toGrpcTarget(network: string, address: string): string | undefined {
  if (network === 'unix') return isAbsolute(address) ? `unix:${address}` : undefined
  return network === 'tcp' && /^\S+:\d{1,5}$/.test(address) ? address : undefined
}

/**
 * Converts Base64 of DER, which go-plugin prints without padding, to PEM. Returns undefined for a
 * field without a certificate, and `unreadable` for any other text.
 */
function parseCertificate(base64: string | undefined): string | undefined {
  if (base64 === undefined || base64.length <= absentCertificateCharsMax) return undefined
  try {
    // In a bundle, a named import of a class would load `node:crypto` at the start of each command.
    return new nodeCrypto.X509Certificate(Buffer.from(base64, 'base64')).toString()
  } catch {
    return 'unreadable'
  }
}

function refuse(problem: string): FirstLineContent<never> {
  return { kind: 'problem', code: 'PLUGIN_HANDSHAKE', problem }
}
