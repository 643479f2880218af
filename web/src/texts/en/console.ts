/** What creators run their channel with. */
export const creatorConsole = {
  title: "Creator console",
  signIn: "Log in to run your channel.",
  sections: {
    stream: "Stream",
  },
};
