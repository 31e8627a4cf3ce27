import { App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import { createError } from '../shared/errors/error.ts'
import type { Assets } from './assets.ts'
import { createInstallation, type Installation } from './installation.ts'
import { acknowledgeNagExceptions } from './nag-exceptions.ts'
import { readInstallationSettings } from './settings.ts'

/**
 * Creates the CDK app of one installation, with its settings from the context. Calls
 * `createBundles` only after the settings were validated. Throws PLATFORM_SETTING_INVALID,
 * PLATFORM_ENTRY_MISSING.
 */
export function createApp(
  options: {
    readonly context?: Readonly<Record<string, unknown>>
    readonly outdir?: string
    /**
     * The rules of cdk-nag to check. A check takes seconds. `with-exceptions`: the rules apply with
     * the exceptions of nag-exceptions.ts. `without-exceptions`: they apply everywhere, to show
     * where exceptions are needed. `off`: no rules.
     */
    readonly cdkNag: 'with-exceptions' | 'without-exceptions' | 'off'
  },
  createBundles: () => Assets,
): { readonly app: App; readonly installation: Installation } {
  const app = new App({
    analyticsReporting: false,
    ...(options.context === undefined ? {} : { context: { ...options.context } }),
    ...(options.outdir === undefined ? {} : { outdir: options.outdir }),
  })
  const settings = readInstallationSettings(app.node.getAllContext())
  if ('problems' in settings)
    throw createError(
      'PLATFORM_SETTING_INVALID',
      `invalid settings: ${settings.problems.join('; ')}`,
    )
  const installation = createInstallation(app, settings, createBundles())
  if (options.cdkNag !== 'off') Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
  if (options.cdkNag === 'with-exceptions') acknowledgeNagExceptions(installation, settings)
  return { app, installation }
}
