import type { PropertyMap } from '../values/value.ts'
import { createRedactor, collectSecretTexts } from '../values/redact-secrets.ts'
import { type CheckResult, type Provider } from './provider.ts'
import { ProviderError } from './provider-error.ts'

/**
 * Returns a provider whose failures and errors do not contain the secrets of its configuration. A
 * refused token must not get into a record or event (I8).
 */
export function redactProviderErrors(provider: Provider, inputs: PropertyMap): Provider {
  const texts = collectSecretTexts(inputs)
  if (texts.length === 0) return provider
  const redact = createRedactor(texts)
  const redactThrown =
    <A, R>(call: (ask: A) => Promise<R>) =>
    (ask: A): Promise<R> =>
      call(ask).catch((thrown: unknown) => {
        throw thrown instanceof ProviderError ? redactError(thrown, redact) : thrown
      })
  const redactAnswered =
    <A, R extends Pick<CheckResult, 'failures'>>(call: (ask: A) => Promise<R>) =>
    async (ask: A): Promise<R> => {
      const answer = await redactThrown(call)(ask)
      const failures = answer.failures.map(one => ({ ...one, reason: redact(one.reason) }))
      return { ...answer, failures }
    }
  return {
    ...provider,
    checkConfig: redactAnswered(provider.checkConfig),
    diffConfig: redactThrown(provider.diffConfig),
    configure: redactThrown(provider.configure),
    check: redactAnswered(provider.check),
    diff: redactThrown(provider.diff),
    create: redactThrown(provider.create),
    update: redactThrown(provider.update),
    delete: redactThrown(provider.delete),
    async read(ask) {
      const { initErrors, ...rest } = await redactThrown(provider.read)(ask)
      return { ...rest, initErrors: initErrors.map(redact) }
    },
    invoke: redactAnswered(provider.invoke),
    call: redactAnswered(provider.call),
    construct: redactThrown(provider.construct),
  }
}

/** The cause is left out, because it contains the same text. */
function redactError(thrown: ProviderError, redact: (text: string) => string): ProviderError {
  const { status, code, isRequestUnsent, problems, partial } = thrown
  const redactedPartial = partial && { ...partial, reasons: partial.reasons.map(redact) }
  return new ProviderError(redact(thrown.message), {
    status,
    code,
    isRequestUnsent,
    problems: problems && {
      message: redact(problems.message),
      properties: problems.properties.map(one => ({ ...one, reason: redact(one.reason) })),
    },
    ...(redactedPartial === undefined ? {} : { partial: redactedPartial }),
  })
}
