import type { ProtocolMajor } from './handshake.ts'

/** The value by which a provider recognizes Terraform as its caller, in both protocols. */
const magicCookie = 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2'

const protocols: readonly ProtocolMajor[] = [5, 6]

/**
 * Variables of go-plugin that this process may have inherited, but that its providers must not
 * inherit.
 */
const removedVariables = ['PLUGIN_CLIENT_CERT', 'PLUGIN_MULTIPLEX_GRPC']

/**
 * Creates the environment of a Terraform provider: the user's variables and those of go-plugin.
 * Without a certificate, the provider does not encrypt its connection.
 */
export function createProviderEnvironment(
  env: Readonly<Record<string, string>>,
  certificate: string | undefined,
): Record<string, string> {
  const inherited = Object.entries(env).filter(([name]) => !removedVariables.includes(name))
  return {
    ...Object.fromEntries(inherited),
    TF_PLUGIN_MAGIC_COOKIE: magicCookie,
    PLUGIN_PROTOCOL_VERSIONS: protocols.join(','),
    PLUGIN_MIN_PORT: '10000',
    PLUGIN_MAX_PORT: '25000',
    ...(certificate === undefined ? {} : { PLUGIN_CLIENT_CERT: certificate }),
  }
}

/** Reports whether the user disables TLS between this process and providers. */
export function isTlsDisabled(env: Readonly<Record<string, string>>): boolean {
  return (env['TF_DISABLE_PLUGIN_TLS'] ?? '') !== ''
}

/** The variables that set log levels, of Terraform and of the libraries that providers use. */
const logVariables = /^TF_LOG(?:_PROVIDER|_SDK(?:_\w+)?)?$/

/** Reports whether the user chooses the log level of providers. */
export function hasLogLevel(env: Readonly<Record<string, string>>): boolean {
  return Object.entries(env).some(([name, value]) => value !== '' && logVariables.test(name))
}

/** Explains the end of a provider whose last lines show that it refused the magic cookie. */
export function explainRefusal(lastLines: readonly string[]): string | undefined {
  return lastLines.some(line => line.includes('This binary is a plugin'))
    ? 'it does not accept the magic cookie of Terraform, so it is a plugin of another program'
    : undefined
}
