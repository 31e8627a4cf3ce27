import { App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import { error } from '../shared/errors/error.ts'
import type { Assets } from './assets.ts'
import { createInstallation, type Installation } from './installation.ts'
import { acknowledge } from './nag-exceptions.ts'
import { readSettings } from './settings.ts'

/**
 * The CDK app of one installation, of which the settings stand in the context. Throws
 * PLATFORM_SETTING_INVALID, PLATFORM_ENTRY_MISSING.
 */
export function createApp(
  about: {
    readonly context?: Readonly<Record<string, unknown>>
    readonly outdir?: string
    /**
     * Whether the rules of cdk-nag are checked, which takes seconds: all but the `argued` ones, or
     * `bare`, to see what there would be to argue.
     */
    readonly nag: 'argued' | 'bare' | 'off'
  },
  assetsFor: () => Assets,
): { readonly app: App; readonly installation: Installation } {
  const app = new App({
    analyticsReporting: false,
    ...(about.context === undefined ? {} : { context: { ...about.context } }),
    ...(about.outdir === undefined ? {} : { outdir: about.outdir }),
  })
  const settings = readSettings(app.node.getAllContext())
  if ('problems' in settings)
    throw error('PLATFORM_SETTING_INVALID', `settings are wrong: ${settings.problems.join('; ')}`)
  const installation = createInstallation(app, settings, assetsFor())
  if (about.nag !== 'off') Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
  if (about.nag === 'argued') acknowledge(installation, settings)
  return { app, installation }
}
