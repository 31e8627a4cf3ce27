import type { PropertyMap } from '../values/value.ts'
import { scrubber, secretTexts } from '../values/scrub.ts'
import { type CheckResult, type Provider, ProviderError } from './provider.ts'

/**
 * A provider that keeps the secrets of its own configuration out of what it says is wrong, with a
 * resource or with a call: a refused token must not get into a record or event that way (I8).
 */
export function discreet(provider: Provider, inputs: PropertyMap): Provider {
  const texts = secretTexts(inputs)
  if (texts.length === 0) return provider
  const scrub = scrubber(texts)
  const guarded =
    <A, R>(call: (ask: A) => Promise<R>) =>
    (ask: A): Promise<R> =>
      call(ask).catch((thrown: unknown) => {
        throw thrown instanceof ProviderError ? withoutSecrets(thrown, scrub) : thrown
      })
  const answered =
    <A, R extends Pick<CheckResult, 'failures'>>(call: (ask: A) => Promise<R>) =>
    async (ask: A): Promise<R> => {
      const answer = await guarded(call)(ask)
      const failures = answer.failures.map(one => ({ ...one, reason: scrub(one.reason) }))
      return { ...answer, failures }
    }
  return {
    ...provider,
    checkConfig: answered(provider.checkConfig),
    diffConfig: guarded(provider.diffConfig),
    configure: guarded(provider.configure),
    check: answered(provider.check),
    diff: guarded(provider.diff),
    create: guarded(provider.create),
    update: guarded(provider.update),
    delete: guarded(provider.delete),
    async read(ask) {
      const { initErrors, ...rest } = await guarded(provider.read)(ask)
      return { ...rest, initErrors: initErrors.map(scrub) }
    },
    invoke: answered(provider.invoke),
    call: answered(provider.call),
    construct: guarded(provider.construct),
  }
}

/** The cause is left out, for it says the same. */
function withoutSecrets(thrown: ProviderError, scrub: (text: string) => string): ProviderError {
  const { status, code, isUnasked, problems, partial } = thrown
  const told = partial && { ...partial, reasons: partial.reasons.map(scrub) }
  return new ProviderError(scrub(thrown.message), {
    status,
    code,
    isUnasked,
    problems: problems && {
      message: scrub(problems.message),
      properties: problems.properties.map(one => ({ ...one, reason: scrub(one.reason) })),
    },
    ...(told === undefined ? {} : { partial: told }),
  })
}
