/** Returns the last value of a setting in a list of name=value. Undefined without the setting. */
export const findSetting = (settings: readonly string[], name: string): string | undefined =>
  settings.findLast(text => text.startsWith(`${name}=`))?.slice(name.length + 1)
