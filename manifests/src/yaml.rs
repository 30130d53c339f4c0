//! Documents of a file with their byte spans, read strictly.
