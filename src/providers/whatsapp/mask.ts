/** The provider's texts may quote the message, in some errors with upper and lower case changed. */
export const withoutCode = (text: string, code: string): string => without(text, code, '[code]')

export const withoutToken = (text: string, accessToken: string): string => without(text, accessToken, '[token]')

const without = (text: string, secret: string, mark: string): string =>
  secret === '' ? text : text.replace(new RegExp(RegExp.escape(secret), 'gi'), mark)
