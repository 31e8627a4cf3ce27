/** The color themes. `system` follows the setting of the browser. */
export const themes = ['system', 'light', 'dark'] as const

/** A color theme. */
export type Theme = (typeof themes)[number]

const storageKey = 'antichain.theme'

/** Returns the chosen theme, or `system` without a choice. */
export function readTheme(): Theme {
  const stored = readStoredItem('localStorage', storageKey)
  return themes.find(theme => theme === stored) ?? 'system'
}

/** Shows a theme, and keeps it as the choice for later visits. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
  try {
    if (theme === 'system') localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, theme)
  } catch {
    // A browser may forbid storage. Then the choice lasts until the page is closed.
  }
}

/**
 * Returns an item of a storage, or undefined if there is none or the browser forbids storage. A
 * browser that blocks the data of sites already throws when the page reads the global variable.
 */
export function readStoredItem(
  storage: 'localStorage' | 'sessionStorage',
  key: string,
): string | undefined {
  try {
    return globalThis[storage].getItem(key) ?? undefined
  } catch {
    return undefined
  }
}
