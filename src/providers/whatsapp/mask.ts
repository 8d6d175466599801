/**
 * Takes an OTP out of text of the provider, which may quote what was sent. In any case of letters: some errors repeat
 * values in another case.
 */
export const withoutCode = (text: string, code: string): string => without(text, code, '[code]')

export const withoutToken = (text: string, accessToken: string): string => without(text, accessToken, '[token]')

const without = (text: string, secret: string, mark: string): string =>
  secret === '' ? text : text.replace(new RegExp(RegExp.escape(secret), 'gi'), mark)
