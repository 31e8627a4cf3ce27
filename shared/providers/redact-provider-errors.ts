import type { PropertyMap } from '../values/value.ts'
import { createRedactor, collectSecretTexts } from '../values/redact-secrets.ts'
import { type CheckResult, type Provider } from './provider.ts'
import { ProviderError } from './provider-error.ts'

/**
 * Returns a provider whose failures and errors do not contain the secrets of its configuration. An
 * error may quote a secret, such as a refused token, which must not get into a record or event
 * (I8).
 */
export function redactProviderErrors(provider: Provider, inputs: PropertyMap): Provider {
  const secretTexts = collectSecretTexts(inputs)
  if (secretTexts.length === 0) return provider
  const redact = createRedactor(secretTexts)
  const redactErrors =
    <Req, Res>(call: (request: Req) => Promise<Res>) =>
    (request: Req): Promise<Res> =>
      call(request).catch((thrown: unknown) => {
        throw redactError(thrown, redact)
      })
  const redactErrorsAndFailures =
    <Req, Res extends Pick<CheckResult, 'failures'>>(call: (request: Req) => Promise<Res>) =>
    async (request: Req): Promise<Res> => {
      const response = await redactErrors(call)(request)
      const failures = response.failures.map(failure => ({
        ...failure,
        reason: redact(failure.reason),
      }))
      return { ...response, failures }
    }
  return {
    ...provider,
    checkConfig: redactErrorsAndFailures(provider.checkConfig),
    diffConfig: redactErrors(provider.diffConfig),
    configure: redactErrors(provider.configure),
    check: redactErrorsAndFailures(provider.check),
    diff: redactErrors(provider.diff),
    create: redactErrors(provider.create),
    update: redactErrors(provider.update),
    delete: redactErrors(provider.delete),
    async read(request) {
      const { initErrors, ...result } = await redactErrors(provider.read)(request)
      return { ...result, initErrors: initErrors.map(redact) }
    },
    invoke: redactErrorsAndFailures(provider.invoke),
    call: redactErrorsAndFailures(provider.call),
    construct: redactErrors(provider.construct),
  }
}

/**
 * Returns an error of a provider with redacted texts, and other errors unchanged. The cause is left
 * out, because the cause contains the same texts.
 */
export function redactError(thrown: unknown, redact: (text: string) => string): unknown {
  if (!(thrown instanceof ProviderError)) return thrown
  const { status, code, isRequestUnsent, problems, partialResource } = thrown
  const redactedResource = partialResource && {
    ...partialResource,
    reasons: partialResource.reasons.map(redact),
  }
  return new ProviderError(redact(thrown.message), {
    status,
    code,
    isRequestUnsent,
    problems: problems && {
      message: redact(problems.message),
      properties: problems.properties.map(failure => ({
        ...failure,
        reason: redact(failure.reason),
      })),
    },
    ...(redactedResource === undefined ? {} : { partialResource: redactedResource }),
  })
}
